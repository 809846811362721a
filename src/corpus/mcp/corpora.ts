import { basename, resolve } from 'node:path';
import { UsageError } from '../../base/errors.js';
import { readIndexHead } from '../index-file.js';
import { corpusFolder } from '../swap.js';

export interface NamedCorpus {
  /** The name of its folder; a number behind it where two have the same. */
  name: string;
  dir: string;
}

/** The corpora that a server answers for. Each has to be there when it starts. */
export async function nameCorpora(dirs: readonly string[]): Promise<NamedCorpus[]> {
  const corpora: NamedCorpus[] = [];
  const names = new Set<string>();
  for (const dir of new Set(dirs.map((each) => resolve(each)))) {
    await readIndexHead(corpusFolder(dir));
    const name = freeName(basename(dir), names);
    names.add(name);
    corpora.push({ name, dir });
  }
  if (corpora.length === 0) {
    throw new UsageError('`gossamer mcp` takes the folders of one or more corpora');
  }
  return corpora;
}

function freeName(wanted: string, names: ReadonlySet<string>): string {
  let name = wanted;
  for (let number = 2; names.has(name); number++) {
    name = `${wanted}-${number}`;
  }
  return name;
}
