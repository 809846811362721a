import { describe } from 'vitest';
import { describeSeen } from './seen-from-outside.js';

describe('no dead option of docs', () => {
  describeSeen((command) => command === 'docs');
});
