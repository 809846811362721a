import { expect, test } from 'vitest';
import { parseHostsFile, Resolver } from '../../src/fetch/resolver.js';
import { type DnsAnswer, dnsServer, FakeClock, failureOf } from './support.js';

async function resolverFor(answer: Parameters<typeof dnsServer>[0]) {
  const clock = new FakeClock();
  const { servers, questions } = await dnsServer(answer);
  return { clock, questions, resolver: new Resolver(servers, clock, false) };
}

test('a name is asked for once, however many ask at the same time', async () => {
  const { resolver, questions } = await resolverFor(() => ({ addresses: ['192.0.2.1', '192.0.2.2'] }));
  const answers = await Promise.all([1, 2, 3].map(() => resolver.addresses('a.test', 4)));
  expect(answers[2]).toEqual(['192.0.2.1', '192.0.2.2']);
  expect(questions).toEqual(['A a.test']);
  expect(resolver.queries).toBe(1);
});

test('an answer is kept as long as its TTL says, within bounds', async () => {
  let ttl = 30;
  const { resolver, questions, clock } = await resolverFor(() => ({ addresses: ['192.0.2.1'], ttl }));
  const asked = async (name: string): Promise<number> => {
    await resolver.addresses(name, 4);
    return questions.filter((question) => question.endsWith(name)).length;
  };
  await asked('a.test');
  clock.advance(29_000);
  expect(await asked('a.test')).toBe(1);
  clock.advance(2000);
  expect(await asked('a.test')).toBe(2);

  ttl = 0;
  await asked('short.test');
  clock.advance(900);
  expect(await asked('short.test')).toBe(1);
  clock.advance(200);
  expect(await asked('short.test')).toBe(2);

  ttl = 1_000_000;
  await asked('long.test');
  clock.advance(3_500_000);
  expect(await asked('long.test')).toBe(1);
  clock.advance(200_000);
  expect(await asked('long.test')).toBe(2);
});

test.each([
  ['no such name', { rcode: 3 }, /no such name/],
  ['a server that fails', { rcode: 2 }, /failed/],
  ['a server that refuses', { rcode: 5 }, /refuses/],
  ['no address', { addresses: [] }, /no address/],
])('%s is dns, and is not asked again at once', async (_kind, answer: DnsAnswer, message) => {
  const { resolver, questions, clock } = await resolverFor(() => answer);
  const error = await failureOf(resolver.addresses('a.test', 4));
  expect(error.errorClass).toBe('dns');
  expect(error.message).toMatch(message);
  const asked = questions.length;
  await failureOf(resolver.addresses('a.test', 4));
  expect(questions.length).toBe(asked);
  clock.advance(6000);
  await failureOf(resolver.addresses('a.test', 4));
  expect(questions.length).toBeGreaterThan(asked);
});

test('a server that fails once is asked again', async () => {
  const { resolver } = await resolverFor((_name, _type, number) =>
    number === 1 ? { rcode: 2 } : { addresses: ['192.0.2.1'] },
  );
  expect(await resolver.addresses('a.test', 4)).toEqual(['192.0.2.1']);
});

test('two hundred names are asked for at once: none waits for the answer of another', async () => {
  const COUNT = 200;
  let answerAll = (): void => {};
  const allAsked = new Promise<void>((resolve) => {
    answerAll = resolve;
  });
  const asked = new Set<string>();
  const { resolver } = await resolverFor(async (name) => {
    if (asked.add(name).size === COUNT) {
      answerAll();
    }
    await allAsked;
    return { addresses: ['192.0.2.1'] };
  });
  const answers = await Promise.all(Array.from({ length: COUNT }, (_, i) => resolver.addresses(`n${i}.test`, 4)));
  expect(answers.every(([address]) => address === '192.0.2.1')).toBe(true);
});

test('each family has an answer and a time of its own', async () => {
  const { resolver, questions, clock } = await resolverFor((_name, type) =>
    type === 'A' ? { addresses: ['192.0.2.1'], ttl: 10 } : { addresses: ['2001:db8::1'], ttl: 100 },
  );
  const both = () => Promise.all([resolver.addresses('a.test', 4), resolver.addresses('a.test', 6)]);
  expect(await both()).toEqual([['192.0.2.1'], ['2001:db8::1']]);
  clock.advance(50_000);
  await both();
  expect(questions.sort()).toEqual(['A a.test', 'A a.test', 'AAAA a.test']);
});

test('after its time a name may be somewhere else', async () => {
  let address = '192.0.2.1';
  const { resolver, clock } = await resolverFor(() => ({ addresses: [address], ttl: 5 }));
  expect(await resolver.addresses('a.test', 4)).toEqual(['192.0.2.1']);
  address = '192.0.2.2';
  clock.advance(4_900);
  expect(await resolver.addresses('a.test', 4)).toEqual(['192.0.2.1']);
  clock.advance(200);
  expect(await resolver.addresses('a.test', 4)).toEqual(['192.0.2.2']);
});

test('of a thousand addresses only the first few are kept', async () => {
  const addresses = Array.from({ length: 30 }, (_, i) => `192.0.2.${i}`);
  const { resolver } = await resolverFor(() => ({ addresses }));
  expect(await resolver.addresses('a.test', 4)).toHaveLength(16);
});

test('where no name server can be reached it is dns', async () => {
  const resolver = new Resolver(['127.0.0.1:1'], new FakeClock(), false);
  expect((await failureOf(resolver.addresses('a.test', 4))).errorClass).toBe('dns');
});

test('literals and localhost are known without asking', () => {
  const resolver = new Resolver(['127.0.0.1:1'], new FakeClock(), false);
  expect(resolver.known('192.0.2.1')).toEqual(['192.0.2.1']);
  expect(resolver.known('::1')).toEqual(['::1']);
  expect(resolver.known('localhost')).toContain('127.0.0.1');
  expect(resolver.known('LOCALHOST.')).toContain('127.0.0.1');
  expect(resolver.known('a.b.localhost')).toEqual(['127.0.0.1', '::1']);
  expect(resolver.known('localhost.a.test')).toBeNull();
});

test('the hosts file is read with comments, several names a line and several addresses a name', () => {
  const text =
    '127.0.0.1 localhost\n10.0.0.1\tWiki wiki.test # comment\n#10.0.0.2 off\nfd00::1 wiki.test\nnonsense x\n';
  expect(Object.fromEntries(parseHostsFile(text))).toEqual({
    localhost: ['127.0.0.1'],
    wiki: ['10.0.0.1'],
    'wiki.test': ['10.0.0.1', 'fd00::1'],
  });
});
