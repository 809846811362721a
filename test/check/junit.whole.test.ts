import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { VERDICTS } from '../../src/check/report/result.js';
import { exampleReport } from './example.js';
import { everyVerdict, linkOf, reportOf, sourceOf, textOf } from './fixture.js';
import { hostileReport } from './hostile.js';
import { readXml, type XmlElement } from './xml.js';

const XSD = fileURLToPath(new URL('junit.xsd', import.meta.url));

/** What the schema that CI systems go by asks for, rule by rule. */
function faultsOf(root: XmlElement): string[] {
  const faults: string[] = [];
  const must = (isRight: boolean, what: string) => isRight || faults.push(what);
  must(root.name === 'testsuites' && Object.keys(root.attributes).length === 0, 'root');
  root.children.forEach((suite, number) => {
    const { attributes, children } = suite;
    must(suite.name === 'testsuite', 'suite');
    must(attributes.id === String(number), `id ${attributes.id}`);
    must(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/.test(attributes.timestamp ?? ''), 'timestamp');
    must(/^\d+(\.\d+)?$/.test(attributes.time ?? ''), 'time');
    must(
      ['name', 'package', 'hostname'].every((name) => (attributes[name] ?? '') !== ''),
      'names',
    );
    const cases = children.filter(({ name }) => name === 'testcase');
    const names = ['properties', ...cases.map(() => 'testcase'), 'system-out', 'system-err'];
    must(children.map(({ name }) => name).join() === names.join(), `order of ${children.map(({ name }) => name)}`);
    const count = (name: string) => cases.filter(({ children: [first] }) => first?.name === name).length;
    must(attributes.tests === String(cases.length), `tests ${attributes.tests}`);
    must(attributes.failures === String(count('failure')), `failures ${attributes.failures}`);
    must(attributes.skipped === String(count('skipped')), `skipped ${attributes.skipped}`);
    must(attributes.errors === '0', 'errors');
    for (const { attributes: given, children: inner } of cases) {
      must(Object.keys(given).sort().join() === 'classname,name,time', 'attributes of a case');
      must(inner.length <= 1, 'one outcome a case');
      must(inner[0]?.name !== 'failure' || (inner[0].attributes.type ?? '') !== '', 'type of a failure');
    }
  });
  return faults;
}

const REPORTS = {
  'one link of each verdict': everyVerdict(),
  'an ordinary site': exampleReport(),
  'hostile texts': hostileReport(),
  nothing: reportOf([]),
};

describe('the report for JUnit', () => {
  it.each(Object.entries(REPORTS))('has the structure that CI systems read: %s', (_name, report) => {
    expect(faultsOf(readXml(textOf('junit', report)))).toEqual([]);
  });

  it.each(Object.entries(REPORTS))('is valid by the schema: %s', (_name, report) => {
    const { status, stderr, error } = spawnSync('xmllint', ['--noout', '--schema', XSD, '-'], {
      input: textOf('junit', report),
      encoding: 'utf8',
    });
    expect(error, 'xmllint is missing: apt-get install libxml2-utils').toBeUndefined();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '- validates\n' });
  });

  it('has a suite a verdict, a case a target, and a failure only where the run fails by it', () => {
    const { children } = readXml(textOf('junit', everyVerdict()));
    expect(children.map(({ attributes }) => attributes.name)).toEqual([...VERDICTS]);
    const outcome = (verdict: string) =>
      children
        .find(({ attributes }) => attributes.name === verdict)!
        .children.find(({ name }) => name === 'testcase')!
        .children.map(({ name }) => name);
    expect(outcome('dead')).toEqual(['failure']);
    expect(outcome('dns')).toEqual(['skipped']);
    expect(outcome('skipped')).toEqual(['skipped']);
    expect(outcome('moved')).toEqual([]);
    expect(outcome('ok')).toEqual([]);
  });

  it('knows a link by the same class and name, whatever becomes of it', () => {
    const nameOf = (verdict: 'dead' | 'ok' | 'timeout') => {
      const [suite] = readXml(textOf('junit', reportOf([linkOf(verdict)]))).children;
      return suite!.children.find(({ name }) => name === 'testcase')!.attributes;
    };
    expect(nameOf('dead')).toEqual({ name: 'https://a.test/old', classname: 'gossamer.check', time: '0' });
    expect(nameOf('ok')).toEqual(nameOf('dead'));
    expect(nameOf('timeout')).toEqual(nameOf('dead'));
  });

  it('says in a failure where the link stands and what to do', () => {
    const sources = Array.from({ length: 25 }, (_, number) =>
      sourceOf({ page: `docs/${number}.md`, line: number + 1 }),
    );
    const link = linkOf('dead', { sources, suggestion: 'https://a.test/new' });
    const [suite] = readXml(textOf('junit', reportOf([link]))).children;
    const [failure] = suite!.children.find(({ name }) => name === 'testcase')!.children;
    expect(failure!.attributes).toEqual({
      message: 'dead: 404: the server says that it is not there',
      type: 'dead',
    });
    expect(failure!.text).toContain('\non docs/0.md:1:5 The old page\n');
    expect(failure!.text).toContain('\nand 5 more\n');
    expect(failure!.text).toContain('archived copy: https://a.test/new');
    expect(failure!.text).toContain('Correct the link');
  });
});
