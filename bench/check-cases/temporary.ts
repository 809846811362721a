import { type Answer, APART, answer, type Case, close, group, hang, once, page, reset } from './case.js';

const temporary = group('temporary');
const AGAIN = 'RFC 9110 15.6, a temporary failure; 9.2.2, a GET may be repeated';
const LATER = 'RFC 9110 10.2.3';

const passing = (rest: string, failure: Answer, standard = AGAIN): Case =>
  temporary(rest, 'fine', standard, APART, once(failure, page()));
const lasting = (rest: string, failure: Answer, standard: string): Case =>
  temporary(rest, 'broken', standard, APART, failure);
const closedDoor = (rest: string, failure: Answer, standard: string): Case =>
  temporary(rest, 'cannot tell', standard, APART, failure);

export const TEMPORARY_CASES: readonly Case[] = [
  passing('one-500', answer(500)),
  passing('one-502', answer(502)),
  passing('one-503', answer(503)),
  passing('one-504', answer(504)),
  passing('one-503-and-when', answer(503, { 'Retry-After': '1' }), LATER),
  passing('one-429-and-when', answer(429, { 'Retry-After': '1' }), 'RFC 6585 4'),
  passing('one-408', answer(408, { Connection: 'close' }), 'RFC 9110 15.5.9'),
  passing('one-reset', reset),
  passing('one-close', close, 'RFC 9112 9.3.1'),
  lasting('always-503', answer(503), 'RFC 9110 15.6.4'),
  lasting('always-reset', reset, 'RFC 9112 9.5'),
  closedDoor('always-429', answer(429), 'RFC 6585 4'),
  closedDoor('429-for-an-hour', answer(429, { 'Retry-After': '3600' }), 'RFC 6585 4'),
  closedDoor('503-for-an-hour', answer(503, { 'Retry-After': '3600' }), LATER),
  closedDoor('no-answer-in-time', hang, "RFC 9110 9.2.2: how long to wait is the client's own choice"),
];
