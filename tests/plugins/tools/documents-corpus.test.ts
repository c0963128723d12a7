import { listDocuments } from '../../../bench/corpus.ts'
import { type DocumentScore, scoreServer } from '../../../bench/corpus-readers.ts'
import { sumScores } from '../../../bench/corpus-totals.ts'
import t from '../../run/file-test.ts'

t.test('the documents of the corpus are read as a careful person reads them', async (t) => {
  const scores: (DocumentScore & { path: string })[] = []
  for (const document of listDocuments())
    scores.push({ path: document.path, ...(await scoreServer(document)) })
  const { words, surplus, cells } = sumScores(scores)
  t.ok(words >= 99, `${words.toFixed(2)} % of the words are read in their order`)
  t.ok(surplus <= 1, `${surplus.toFixed(2)} % of the words that are read are not in the documents`)
  t.ok(cells >= 97, `${cells.toFixed(2)} % of the cells are read under their heads`)
  const wrong = scores.filter(({ isRight }) => !isRight)
  t.strictSame(
    wrong.map(({ path, refused, pages }) => ({ path, refused, pages })),
    [],
    'refusals and numbers of pages',
  )
})
