import { StateError } from '../../base/errors.js';
import { notInstalled } from '../../base/optional-package.js';
import { printable } from '../../base/text.js';
import { markdownOfText } from './text-markdown.js';

/** What is used of unpdf, which need not be installed. */
interface PdfPackage {
  getDocumentProxy(bytes: Uint8Array, options: { verbosity: number }): Promise<unknown>;
  extractText(pdf: unknown, options: { mergePages: false }): Promise<{ text: string[] }>;
  getMeta(pdf: unknown): Promise<{ info?: Record<string, unknown> }>;
}

/** A PDF as far as it is text. */
export interface PdfText {
  title: string | null;
  byline: string | null;
  description: string | null;
  markdown: string;
}

const PACKAGE = 'unpdf';
/** It would write warnings among what is printed. */
const SILENT = 0;
/** What is said where a PDF comes and nothing reads it. */
export const noPdfReader = (): string => notInstalled(PACKAGE);

export const isPdfType = (type: string | null): boolean => /^\s*application\/(?:x-)?pdf\s*(?:[;,]|$)/i.test(type ?? '');
export const isPdf = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-';

const load = async (): Promise<PdfPackage> => (await import('unpdf')) as unknown as PdfPackage;

/** Whether the package is there that reads a PDF. */
export async function canReadPdf(loaded: () => Promise<PdfPackage> = load): Promise<boolean> {
  try {
    await loaded();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') {
      return false;
    }
    throw error;
  }
}

/** The text of a PDF, page after page; what it draws is left out. */
export async function readPdf(bytes: Uint8Array, loaded: () => Promise<PdfPackage> = load): Promise<PdfText> {
  const { getDocumentProxy, extractText, getMeta } = await loaded();
  try {
    // The package takes the bytes away from whoever hands them over.
    const pdf = await getDocumentProxy(new Uint8Array(bytes), { verbosity: SILENT });
    const { text } = await extractText(pdf, { mergePages: false });
    const { info = {} } = await getMeta(pdf).catch((): { info?: Record<string, unknown> } => ({}));
    const said = (name: string): string | null => {
      const value = info[name];
      return typeof value === 'string' && value.trim() !== '' ? printable(value.trim(), 300) : null;
    };
    return {
      ...{ title: said('Title'), byline: said('Author'), description: said('Subject') },
      markdown: markdownOfText(
        text
          .map((page) => page.trim())
          .filter((page) => page !== '')
          .join('\n\n'),
      ),
    };
  } catch (error) {
    throw new StateError('not_readable', `the PDF cannot be read: ${printable((error as Error).message, 200)}`, {
      cause: error,
    });
  }
}
