import { writeFileSync } from 'node:fs';
import { renderOptionsDoc } from '../dist/src/config/describe.js';

// After `npm run build`: writes the reference page of all options from their table.
writeFileSync(new URL('../docs/OPTIONS.md', import.meta.url), renderOptionsDoc());
