import { type CorpusDocument, listDocuments } from './corpus.ts'
import { type DocumentScore, listOtherReaders, scoreServer } from './corpus-readers.ts'
import { formatShare, sumScores, type Totals } from './corpus-totals.ts'
import type { Figure, Row } from './figure.ts'

/** Measures how much of the documents of the corpus is read, beside other readers that are installed. */
export const measureDocuments: Figure = async () => {
  const documents = listDocuments()
  const otherReaders = listOtherReaders(documents)
  const scores = new Map<CorpusDocument, DocumentScore>()
  for (const document of documents) scores.set(document, await scoreServer(document))
  const all = [...scores.values()]
  const kinds = new Set(documents.map(({ kind }) => kind))
  return [
    ...[...kinds].flatMap((kind) => {
      const ofKind = documents.filter((document) => document.kind === kind)
      const others = otherReaders
        .filter((reader) => reader.kind === kind)
        .map(({ name, score }) => ({ name, totals: score && sumScores(ofKind.map(score)) }))
      return toRows(kind, sumScores(ofKind.map((document) => scores.get(document)!)), others)
    }),
    ...toRows('all documents', sumScores(all), []),
    { measure: 'refused wrongly, or with a wrong number of pages', value: sumScores(all).wrong, unit: '' },
  ]
}

function toRows(
  kind: string,
  { documents, words, surplus, cells, wrong }: Totals,
  others: readonly { name: string; totals?: Totals }[],
): Row[] {
  const compare = (share: 'words' | 'cells') =>
    others.map(({ name, totals }) => `; ${name} ${totals ? formatShare(totals[share]) : 'is not installed'}`)
  const rows = [
    {
      measure: `${kind}: words in order`,
      value: words,
      unit: '%',
      note: `of ${documents}; surplus ${formatShare(surplus)}${compare('words').join('')}`,
    },
    {
      measure: `${kind}: cells under their heads`,
      value: cells,
      unit: '%',
      note: `of ${documents}${compare('cells').join('')}`,
    },
  ].filter(({ value }) => !Number.isNaN(value))
  return rows.length > 0
    ? rows
    : [{ measure: kind, value: documents - wrong, unit: '', note: `of ${documents}` }]
}
