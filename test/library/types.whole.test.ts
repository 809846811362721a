import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'gossamer-types-'));
mkdirSync(join(folder, 'node_modules'));
symlinkSync(root, join(folder, 'node_modules', 'gossamer'));
const file = join(folder, 'program.mts');
writeFileSync(
  file,
  `import { crawl, type CrawledPage } from 'gossamer';
for await (const page of crawl({ seeds: ['https://example.com/'], delayMs: 5 })) {
  const { url }: CrawledPage = page;
  url.trim();
}
export * from 'gossamer';
`,
);
afterAll(() => rmSync(folder, { recursive: true }));

/** As a program in TypeScript sees the package that has no types of Node's. */
const program = ts.createProgram([file], {
  strict: true,
  noEmit: true,
  skipLibCheck: false,
  preserveSymlinks: true,
  types: [],
  lib: ['lib.es2023.d.ts'],
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
});

it('the types compile strictly and without those of Node', () => {
  const faults = ts.getPreEmitDiagnostics(program);
  expect(faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
});

it('every type of the surface, and every member of it, has its sentence', () => {
  const checker = program.getTypeChecker();
  const isSaid = (symbol: ts.Symbol): boolean => symbol.getDocumentationComment(checker).length > 0;
  const surface = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!);
  const members = surface.flatMap((exported) => {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    const isObject = (type.flags & ts.TypeFlags.Object) !== 0;
    const own = isObject ? checker.getPropertiesOfType(type).filter(isOurs) : [];
    return [symbol, ...own].map((each) => ({ name: `${exported.name}.${each.name}`, said: isSaid(each) }));
  });
  expect(members.length).toBeGreaterThan(500);
  expect(members.filter(({ said }) => !said).map(({ name }) => name)).toEqual([]);
});

/** Neither one of JavaScript's own, nor private, nor a count by cause, whose name is its sentence. */
function isOurs(member: ts.Symbol): boolean {
  const [declaration] = member.declarations ?? [];
  if (declaration === undefined || ts.isPrivateIdentifier(ts.getNameOfDeclaration(declaration) ?? declaration)) {
    return false;
  }
  return declaration.getSourceFile().fileName.includes('/gossamer/dist/');
}
