import { baseDelayMs } from '../../hosts/base-delay.js';
import type { AnswerTimes, SurveyedOrigin, SurveyReader } from '../../store/survey-reader.js';
import type { HostLoad } from './duration.js';
import type { RobotsJudge } from './robots-judge.js';
import type { SurveyQuestion } from './survey.js';

/** One host of a preview. */
export interface PreviewHost {
  /** Its name. */
  host: string;
  /** Known, and allowed by robots.txt. */
  pages: number;
  /** URLs that robots.txt forbids. */
  forbidden: number;
  /** What robots.txt asks for, or null. */
  crawlDelayMs: number | null;
  /** The longer of that and --delay. */
  delayMs: number;
  /** From a request to the headers of its answer: the mean of sampled pages, without a sample the quickest of robots.txt and sitemaps; null where nothing was answered. */
  headersMs: number | null;
  /** `crawl_delay` where that is too long; of a host without a page to ask for, what stands in the way; else null. */
  trouble: string | null;
}

export interface SurveyedHost extends PreviewHost {
  deferred: number;
  load: HostLoad;
}

/** Where nothing was answered, nobody knows better. */
const USUAL_ANSWER: AnswerTimes = { others: 0, headersMs: 100, answerMs: 150 };

export function surveyHosts(reader: SurveyReader, question: SurveyQuestion, judge: RobotsJudge): SurveyedHost[] {
  const answers = reader.answers();
  const hosts = new Map<string, SurveyedOrigin[]>();
  for (const origin of reader.origins()) {
    hosts.set(origin.host, [...(hosts.get(origin.host) ?? []), origin]);
  }
  return [...hosts].map(([host, origins]) => {
    let forbidden = 0;
    for (const { origin, rules } of origins) {
      forbidden += rules === null ? 0 : countForbidden(reader, origin, host, rules, judge);
    }
    return surveyHost(host, origins, forbidden, answers.get(host), question);
  });
}

function countForbidden(reader: SurveyReader, origin: number, host: string, rules: string, judge: RobotsJudge): number {
  let forbidden = 0;
  for (const { url } of reader.waiting(origin)) {
    const rule = judge.ruleAgainst(rules, url);
    if (rule !== null) {
      forbidden++;
      judge.count(host, rule);
    }
  }
  return forbidden;
}

function surveyHost(
  host: string,
  origins: SurveyedOrigin[],
  forbidden: number,
  answered: AnswerTimes | undefined,
  question: SurveyQuestion,
): SurveyedHost {
  const sum = (of: (origin: SurveyedOrigin) => number) => origins.reduce((total, origin) => total + of(origin), 0);
  const pages = sum(({ asked, queued, refused }) => asked + queued + refused) - forbidden;
  const ownDelayMs = baseDelayMs(host, question.delayMs, question.delayIsDefault);
  const asksFor = origins.reduce((most, { crawlDelayMs }) => Math.max(most, crawlDelayMs ?? -1), -1);
  const delayMs = Math.max(ownDelayMs, asksFor);
  const putOff = asksFor > question.maxCrawlDelayMs;
  const { others, headersMs, answerMs } = answered ?? USUAL_ANSWER;
  const found = origins.find(({ trouble }) => trouble !== null)?.trouble ?? null;
  return {
    host,
    pages,
    forbidden,
    crawlDelayMs: asksFor < 0 ? null : asksFor,
    delayMs,
    headersMs: answered?.headersMs ?? null,
    trouble: putOff ? 'crawl_delay' : pages > 0 ? null : found,
    deferred: sum(({ deferred }) => deferred),
    load: { pages, others, delayMs, headersMs, answerMs, putOff, asksForDelay: asksFor > ownDelayMs },
  };
}
