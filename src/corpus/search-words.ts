/** What a search knows of languages: words that say nothing, and the endings of words. English endings are the index's own affair. */

const STOP_WORDS: Readonly<Record<string, string>> = {
  en: `a about an and any are as at be but by can could did do does doing for from get had has have how i if in into is it its me my
    of on or our should so some such than that the their them then there these they this those to use used using was way we were what when
    where which who why will with would you your`,
  de: `aber als am an auch auf aus bei bin bis das dass dem den der des die du ein eine einem einen einer eines er es für hat ich ihr im in ist
    kann man mein mit nach nicht oder sein sie sind so über um und uns vom von wann war was welche wenn wer werden wie wir wird wo zu zum zur`,
  fr: `au aux avec ce ces cette comment dans de des du elle en est et être eux il ils je la le les leur lui ma mais me mes mon ne nos notre
    nous on ou où par pas pour quand que quel quelle qui sa se ses son sont sur ta te tes ton tu un une vos votre vous`,
  es: `al como con cómo cuál cuando cuándo de del dónde el ella en es esta este están la las lo los más mi no o para pero por puede que qué
    se ser si sin son su sus un una y ya yo`,
  it: `al alla anche che chi ci come con da dal dei del della di dove e è gli ha i il in io la le lo ma mi nel nella non o per più qual quando se si
    sono su sul tra un una uno`,
  pt: `a ao as com como da das de do dos e é ela ele em esta este eu foi já mais mas me na não no nos o onde os ou para pela pelo por quais
    qual quando que se sem ser são sua um uma você`,
  nl: `aan als bij dat de deze die dit door een en er het hoe ik in is je kan maar met naar niet of om ook op over te tot uit van voor waar wat
    wel wie wordt zijn`,
  sv: `att av den det en ett för från hur här i inte kan man med när och om på som så till var vad vi är`,
  da: `af at den der det en et for fra hvad hvor hvordan i ikke kan man med når og om på som så til var vi er`,
  ru: `а без был быть в во вы где да для до его если есть и из или их к как какой когда кто ли мы на не но о об он она они от по при с со так
    то у что чтобы это я`,
};

/** Endings that a word loses, the longest first; what is left has at least this many letters. */
const ENDINGS: Readonly<Record<string, { endings: string; atLeast: number }>> = {
  de: { endings: 'ungen erinnen erin ungs ung enen ern est em en er es st e n s', atLeast: 4 },
  fr: {
    endings:
      'issements issement ations ation ements ement euses euse eaux eurs eur ives ive ées ée és er es ez e é s x',
    atLeast: 4,
  },
  es: {
    endings: 'aciones ación amente mente ando iendo adas ados ada ado idas idos ida ido ores ora or es as os a o e',
    atLeast: 4,
  },
  it: { endings: 'azioni azione amente mente ando endo ate ati ata ato ute uti uta uto i e a o', atLeast: 4 },
  pt: {
    endings: 'ações ação amente mente ando endo adas ados ada ado idas idos ida ido ões ão es as os a o e',
    atLeast: 4,
  },
  nl: { endings: 'heden ingen heid ing en er es e s', atLeast: 4 },
  sv: { endings: 'heterna heten arna erna orna ande ade ning ar er or en et a e n t s', atLeast: 4 },
  da: { endings: 'erne ende ede ning er en et e r s', atLeast: 4 },
  ru: {
    endings:
      'иями ями ами иях ого его ому ему ыми ими ая яя ое ее ые ие ый ий ой ей ах ях ов ев ам ям ом ем ию ия ии ть ет ит а я о е ы и у ю ь',
    atLeast: 3,
  },
};

const stopWords = new Map(Object.entries(STOP_WORDS).map(([lang, words]) => [lang, new Set(words.split(/\s+/))]));
const endings = new Map(
  Object.entries(ENDINGS).map(([lang, { endings: all, atLeast }]) => [lang, { all: all.split(' '), atLeast }]),
);

/** `en` of `en-GB`; English where a page does not say. */
export const languageOf = (lang: string | null): string => /^[a-z]{2,3}/i.exec(lang ?? '')?.[0].toLowerCase() ?? 'en';

export const isStopWord = (word: string, languages: readonly string[]): boolean =>
  languages.some((lang) => stopWords.get(lang)?.has(word) === true);

/** Whether words of a language are found in other forms by `lightStem`. */
export const hasStems = (lang: string): boolean => endings.has(lang);

/** A word without the ending that changes with number, case or person; words that differ in more than that stay apart. */
export function lightStem(word: string, lang: string): string {
  const known = endings.get(lang);
  const ending = known?.all.find((end) => word.endsWith(end) && word.length - end.length >= known.atLeast);
  return ending === undefined ? word : word.slice(0, -ending.length);
}

const WORD = /[\p{L}\p{M}]{2,}/gu;
const MOST_STEMS = 20_000;

/** All words of a text without their endings, each once. */
export function lightStems(text: string, lang: string): string {
  const stems = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(WORD)) {
    if (stems.size === MOST_STEMS) {
      break;
    }
    stems.add(lightStem(word, lang));
  }
  return [...stems].join(' ');
}
