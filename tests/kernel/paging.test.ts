import { findPage, type Page, pageOf, pageReply } from '../../kernel/http/paging.ts'
import t from '../run/file-test.ts'
import { startKernel } from '../support/kernel.ts'

interface Stone {
  _id: number
  colour: string
  weight: number
  note: string
}

/** Reads a list to its end; returns its pages. */
async function readAll<Row>(
  read: (cursor: string | undefined) => Page<Row> | Promise<Page<Row>>,
): Promise<Row[][]> {
  const pages: Row[][] = []
  let cursor: string | undefined
  do {
    const { rows, next } = await read(cursor)
    pages.push(rows)
    cursor = next ?? undefined
  } while (cursor !== undefined)
  return pages
}

const cursorOf = (keys: unknown) => Buffer.from(JSON.stringify(keys)).toString('base64url')

t.test('documents', async (t) => {
  const server = await startKernel(t)
  const stones = server.db.collection<Stone>('stones')
  const all = Array.from({ length: 450 }, (_, n) => ({
    _id: n,
    colour: n % 3 === 0 ? 'red' : 'grey',
    weight: n % 7,
    note: 'x',
  }))
  await stones.insertMany(all)
  const sort = { weight: -1, _id: 1 } as const
  const parts = [{ colour: 'red' }, { colour: 'grey' }]
  const sorted = (colour: string) =>
    all.filter((stone) => stone.colour === colour).sort((a, b) => b.weight - a.weight || a._id - b._id)
  const wanted = [...sorted('red'), ...sorted('grey')].map(({ _id }) => _id)
  const list = (limit: number) =>
    readAll((cursor) => findPage(stones, { parts, sort, projection: { weight: 1 } }, { limit, cursor }))

  t.test('pages follow each other without a gap, part by part', async (t) => {
    for (const limit of [29, 149, 150, 200]) {
      const pages = await list(limit)
      t.strictSame(
        pages.flat().map(({ _id }) => _id),
        wanted,
      )
      t.ok(pages.slice(0, -1).every(({ length }) => length === limit))
    }
  })

  t.test('a page has at most 200 rows, and what was projected', async (t) => {
    const pages = await list(100_000)
    t.strictSame(
      pages.map(({ length }) => length),
      [200, 200, 50],
    )
    t.strictSame(Object.keys(pages[0]![0]!).sort(), ['_id', 'weight'])
  })

  t.test('what was removed or added meanwhile shifts nothing', async (t) => {
    const first = await findPage(stones, { parts, sort }, { limit: 10 })
    await stones.deleteOne({ _id: wanted[9]! })
    await stones.insertOne({ _id: -1, colour: 'red', weight: 9, note: '' })
    const second = await findPage(stones, { parts, sort }, { limit: 10, cursor: first.next! })
    t.strictSame(
      second.rows.map(({ _id }) => _id),
      wanted.slice(10, 20),
    )
  })

  t.test('a cursor of something else is refused', async (t) => {
    const read = (cursor: string) => findPage(stones, { parts, sort }, { limit: 10, cursor })
    for (const cursor of [
      '',
      'Ä',
      cursorOf([0, 1]),
      cursorOf([2, 1, 1]),
      cursorOf([-1, 1, 1]),
      cursorOf(['length', 1, 1]),
      cursorOf([0, { $gt: 0 }, 1]),
      cursorOf([0, null, 1]),
      cursorOf({ 0: 0 }),
    ])
      await t.rejects(read(cursor), { code: 'VALIDATION_FAILED', details: { issues: [{ path: '/cursor' }] } })
  })
})

t.test('rows at hand', async (t) => {
  const rows = ['pear', 'apple', 'fig', 'date']
  const list = (limit: number) => readAll((cursor) => pageOf(rows, (row) => row, { limit, cursor }))
  t.strictSame(await list(50), [['apple', 'date', 'fig', 'pear']])
  t.strictSame(await list(3), [['apple', 'date', 'fig'], ['pear']])
  t.strictSame(await list(2), [
    ['apple', 'date'],
    ['fig', 'pear'],
  ])
  t.throws(() => pageOf(rows, (row) => row, { limit: 1, cursor: cursorOf([7]) }), {
    code: 'VALIDATION_FAILED',
  })
})

t.test('the header names the next page with all that was asked', async (t) => {
  t.strictSame(pageReply({ limit: 2, scope: 'all' }, { rows: [1], next: null }).headers, {})
  const { headers, body } = pageReply({ limit: 2, scope: 'a&b', cursor: 'old' }, { rows: [1], next: 'new' })
  t.equal(headers.Link, '<?limit=2&scope=a%26b&cursor=new>; rel="next"')
  t.strictSame(body, [1])
})
