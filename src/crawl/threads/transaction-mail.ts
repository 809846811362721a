import type { Transaction } from '../../store/transaction.js';
import { type EdgeParcel, packEdges, unpackEdges } from './edge-parcel.js';

/** The parts of a transaction that there are many of; they travel as text, the few others as they are. */
type Many = Pick<Transaction, 'newUrls' | 'trapped' | 'settled' | 'found' | 'leased'>;

/** A transaction on its way to the store's thread. */
export interface TransactionMail {
  text: string;
  /** Sealed pages of what is settled, '' where there is none. */
  pages: string[];
  edges: EdgeParcel;
  rest: Omit<Transaction, keyof Many>;
}

export function packTransaction(transaction: Transaction): TransactionMail {
  const { newUrls, trapped, settled, found, leased, ...rest } = transaction;
  const many: Many = {
    newUrls,
    trapped,
    settled: settled.map((each) => ({
      ...each,
      page: each.page === null ? null : { ...each.page, text: '' },
      edges: null,
    })),
    found,
    leased,
  };
  return {
    text: JSON.stringify(many),
    pages: settled.map(({ page }) => page?.text ?? ''),
    edges: packEdges(settled.map(({ edges }) => edges)),
    rest,
  };
}

export function unpackTransaction({ text, pages, edges, rest }: TransactionMail): Transaction {
  const many: Many = JSON.parse(text);
  const unpacked = unpackEdges(edges);
  many.settled.forEach((settled, i) => {
    settled.edges = unpacked[i]!;
    if (settled.page !== null) {
      settled.page.text = pages[i]!;
    }
  });
  return { ...rest, ...many };
}
