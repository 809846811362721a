/**
 * `node scripts/compile-assembly.js`: makes src/kernel/wasm.ts from src/kernel/assembly/. What comes out is kept beside the sources, so that a
 * build needs no second compiler; `--check` says whether the two belong together.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const COMPILED = join(root, 'src/kernel/wasm.ts');

/** The memory it starts with: 82 pages of 64 KiB up to PAGE (assembly/memory.ts), and one for a small page. */
const FLAGS = ['-O3', '--converge', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--initialMemory', '83'];

/** The text of src/kernel/wasm.ts as the sources want it. */
async function compileAssembly() {
  const { main } = await import('assemblyscript/asc');
  const folder = mkdtempSync(join(tmpdir(), 'gossamer-assembly-'));
  try {
    const file = join(folder, 'kernel.wasm');
    const { error, stderr } = await main([
      'src/kernel/assembly/index.ts',
      '--outFile',
      file,
      '--baseDir',
      root,
      ...FLAGS,
    ]);
    if (error) {
      throw new Error(stderr.toString(), { cause: error });
    }
    return `/** Made of src/kernel/assembly/ by scripts/compile-assembly.js: WebAssembly in base64. */\nexport const KERNEL_WASM =\n  '${readFileSync(file, 'base64')}';\n`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const compiled = await compileAssembly();
if (!process.argv.includes('--check')) {
  writeFileSync(COMPILED, compiled);
} else if (readFileSync(COMPILED, 'utf8') === compiled) {
  console.log('up to date');
} else {
  console.error(
    'src/kernel/wasm.ts is not what src/kernel/assembly/ compiles to: run node scripts/compile-assembly.js',
  );
  process.exit(1);
}
