import { expect, it } from 'vitest';
import { fragmentOfRoute, isRoute, pageOfRoute, routeIn } from '../../src/url/routes.js';

it.each([
  ['#/about', '#/about'],
  ['/app/#/a b', '#/a%20b'],
  ['https://a.test/#!x?y=1#z', '#!x?y=1#z'],
  ['#!/about', '#!/about'],
  ['#/about:~:text=word', '#/about'],
  ['#/\nab\tout', '#/about'],
  ['#/', null],
  ['#!', null],
  ['#!/', null],
  ['#//', null],
  ['#about', null],
  ['#', null],
  ['/plain', null],
  ['http://[#/x', null],
])('the route in %j is %j', (href, route) => {
  expect(routeIn(href)).toBe(route);
});

it('a route belongs to its page', () => {
  expect(pageOfRoute('https://a.test/app/?q#/x')).toBe('https://a.test/app/?q');
  expect(fragmentOfRoute('https://a.test/app/?q#/x')).toBe('#/x');
  expect(pageOfRoute('https://a.test/app/')).toBe('https://a.test/app/');
  expect([isRoute('https://a.test/#/x'), isRoute('https://a.test/'), isRoute('key#1')]).toEqual([true, false, false]);
});
