import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** The API reference as Markdown, from the one file of types that the package has: each export with its sentence and its declaration. */
export function apiReference(typesFile) {
  const source = ts.createSourceFile(typesFile, readFileSync(typesFile, 'utf8'), ts.ScriptTarget.ES2023, true);
  const declared = new Map();
  const exported = [];
  for (const statement of source.statements) {
    if (ts.isExportDeclaration(statement) && statement.exportClause !== undefined) {
      exported.push(
        ...statement.exportClause.elements.map((each) => ({
          name: each.name.text,
          from: (each.propertyName ?? each.name).text,
        })),
      );
    }
    for (const name of namesOf(statement)) {
      declared.set(name, [...(declared.get(name) ?? []), statement]);
    }
  }
  const entries = exported.map(({ name, from }) => ({ name, statements: declared.get(from) ?? [] }));
  const missing = entries.filter(({ statements }) => statements.length === 0);
  if (missing.length > 0) {
    throw new Error(`the types export what they do not declare: ${missing.map(({ name }) => name).join(', ')}`);
  }
  const sections = [
    ['Functions', (statement) => ts.isFunctionDeclaration(statement)],
    ['Classes and constants', (statement) => ts.isClassDeclaration(statement) || ts.isVariableStatement(statement)],
    ['Types', () => true],
  ];
  const taken = new Set();
  const text = sections.map(([title, isOf]) => {
    const own = entries.filter((entry) => !taken.has(entry) && isOf(entry.statements[0]));
    for (const entry of own) {
      taken.add(entry);
    }
    return `## ${title}\n\n${own
      .sort((a, b) => a.name.localeCompare(b.name))
      .map((entry) => describe(entry, source))
      .join('\n')}`;
  });
  const names = entries.map(({ name }) => name);
  return { markdown: `${HEAD}\n${text.join('\n')}`, names };
}

const HEAD = `# API

Everything that \`import { … } from 'gossamer'\` can name. This page is made from the types of the package, so your editor says the same. [LIBRARY.md](docs/LIBRARY.md) tells how the functions go together, with examples.
`;

function namesOf(statement) {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  return statement.name === undefined ? [] : [statement.name.text];
}

function describe({ name, statements }, source) {
  const sentences = statements.flatMap((statement) => ts.getJSDocCommentsAndTags(statement)).filter(ts.isJSDoc);
  const said = [...new Set(sentences.map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? ''))].filter(
    (each) => each !== '',
  );
  const code = statements.map((statement) =>
    source.text.slice(statement.getStart(source), statement.end).replace(/^declare /, ''),
  );
  return `### ${name}\n\n${said.map((each) => `${each.replace(/[<>]/g, '\\$&')}\n\n`).join('')}\`\`\`ts\n${code.join('\n')}\n\`\`\`\n`;
}
