import { findPage, MAX_PAGE_BYTES, type Page, pageOf, pageReply } from '../../plugin-api/toolbox/paging.ts'
import t from '../run/file-test.ts'
import { startKernel } from '../support/kernel.ts'

interface Stone {
  _id: number
  colour: string
  weight: number
  note: string
}

/** Reads all pages of a list. */
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

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

const createCursor = (keys: unknown) => Buffer.from(JSON.stringify(keys)).toString('base64url')

t.test('pages of a collection', async (t) => {
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
  const changed = new Set<number>()
  const wanted = [...sorted('red'), ...sorted('grey')].map(({ _id }) => _id)
  const list = (limit: number) =>
    readAll((cursor) => findPage(stones, { parts, sort, projection: { weight: 1 } }, { limit, cursor }))

  t.test('pages continue without a gap, part by part', async (t) => {
    for (const limit of [29, 149, 150, 200]) {
      const pages = await list(limit)
      t.strictSame(
        pages.flat().map(({ _id }) => _id),
        wanted,
      )
      t.ok(pages.slice(0, -1).every(({ length }) => length === limit))
    }
  })

  t.test('a page has at most 200 rows, with only the projected fields', async (t) => {
    const pages = await list(100_000)
    t.strictSame(
      pages.map(({ length }) => length),
      [200, 200, 50],
    )
    t.strictSame(Object.keys(pages[0]![0]!).sort(), ['_id', 'weight'])
  })

  t.test('rows that are removed or added meanwhile do not shift the pages', async (t) => {
    const first = await findPage(stones, { parts, sort }, { limit: 10 })
    await stones.deleteOne({ _id: wanted[9]! })
    changed.add(wanted[9]!)
    await stones.insertOne({ _id: -1, colour: 'red', weight: 9, note: '' })
    const second = await findPage(stones, { parts, sort }, { limit: 10, cursor: first.next! })
    t.strictSame(
      second.rows.map(({ _id }) => _id),
      wanted.slice(10, 20),
    )
  })

  t.test('an offset skips rows, also after a cursor', async (t) => {
    const listing = { parts: [{ colour: 'grey' }], sort }
    const readIds = async (request: { offset?: number; cursor?: string }) => {
      const { rows, next } = await findPage(stones, listing, { limit: 10, ...request })
      return { ids: rows.map(({ _id }) => _id), next }
    }
    const grey = sorted('grey')
      .map(({ _id }) => _id)
      .filter((_id) => !changed.has(_id))
    const first = await readIds({ offset: 5 })
    t.strictSame(first.ids, grey.slice(5, 15))
    t.strictSame((await readIds({ cursor: first.next! })).ids, grey.slice(15, 25))
    t.strictSame((await readIds({ cursor: first.next!, offset: 2 })).ids, grey.slice(17, 27))
    t.strictSame(await readIds({ offset: 1000 }), { ids: [], next: null })
  })

  t.test('a page of long rows ends before the size limit, but has at least one row', async (t) => {
    const half = MAX_PAGE_BYTES / 2
    const bytesOf = ({ _id }: Stone) => (_id === 3 ? MAX_PAGE_BYTES + 1 : _id < 6 ? half : half / 10)
    const listing = { parts: [{ _id: { $gte: 0, $lt: 40 } }], sort: { _id: 1 } as const, bytesOf }
    const read = (cursor: string | undefined) => findPage(stones, listing, { limit: 14, cursor })
    t.strictSame(
      (await readAll(read)).map((rows) => rows.map(({ _id }) => _id)),
      [[0, 1], [2], [3], [4, 5], range(6, 20), range(20, 34), range(34, 40)],
    )
  })

  t.test('text is sorted by the collation of a language', async (t) => {
    const words = server.db.collection<{ _id: number; word: string }>('words')
    await words.insertMany(
      ['zoe', 'Émile', 'anton', 'Anton', 'emil', 'Berta'].map((word, _id) => ({ _id, word })),
    )
    const listing = { parts: [{}], sort: { word: 1, _id: 1 } as const, collation: { locale: 'en' } }
    const pages = await readAll((cursor) => findPage(words, listing, { limit: 2, cursor }))
    t.strictSame(
      pages.map((rows) => rows.map(({ word }) => word)),
      [
        ['anton', 'Anton'],
        ['Berta', 'emil'],
        ['Émile', 'zoe'],
      ],
    )
  })

  t.test('an invalid cursor is refused', async (t) => {
    const read = (cursor: string) => findPage(stones, { parts, sort }, { limit: 10, cursor })
    for (const cursor of [
      '',
      'Ä',
      createCursor([0, 1]),
      createCursor([2, 1, 1]),
      createCursor([-1, 1, 1]),
      createCursor(['length', 1, 1]),
      createCursor([0, { $gt: 0 }, 1]),
      createCursor([0, null, 1]),
      createCursor({ 0: 0 }),
    ])
      await t.rejects(read(cursor), { code: 'VALIDATION_FAILED', details: { issues: [{ path: '/cursor' }] } })
  })
})

t.test('an array of rows is paged too', async (t) => {
  const rows = ['pear', 'apple', 'fig', 'date']
  const list = (limit: number) => readAll((cursor) => pageOf(rows, (row) => row, { limit, cursor }))
  t.strictSame(await list(50), [['apple', 'date', 'fig', 'pear']])
  t.strictSame(await list(3), [['apple', 'date', 'fig'], ['pear']])
  t.strictSame(await list(2), [
    ['apple', 'date'],
    ['fig', 'pear'],
  ])
  t.throws(() => pageOf(rows, (row) => row, { limit: 1, cursor: createCursor([7]) }), {
    code: 'VALIDATION_FAILED',
  })
})

t.test('the header Link contains the next page with all parameters of the request', async (t) => {
  t.strictSame(pageReply({ limit: 2, scope: 'all' }, { rows: [1], next: null }).headers, {})
  const { headers, body } = pageReply({ limit: 2, scope: 'a&b', cursor: 'old' }, { rows: [1], next: 'new' })
  t.equal(headers.Link, '<?limit=2&scope=a%26b&cursor=new>; rel="next"')
  t.strictSame(body, [1])
  const behind = pageReply({ limit: 2, offset: 4 }, { rows: [1], next: 'new' })
  t.equal(
    behind.headers.Link,
    '<?limit=2&cursor=new>; rel="next"',
    'the next page does not skip the offset again',
  )
})
