import { describe } from 'vitest';
import { describeSeen } from './seen-from-outside.js';

describe('no dead option of check', () => {
  describeSeen((command) => command === 'check');
});
