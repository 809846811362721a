import { serve } from '../base/worker-thread.js';
import { READER_NEWS, READER_ORDERS } from './messages.js';
import { Answers } from './questions.js';

const answers = new Answers();

serve(
  READER_ORDERS,
  {
    ask: (question) => answers.answer(question),
    close: () => {
      answers.close();
    },
  },
  READER_NEWS,
);
