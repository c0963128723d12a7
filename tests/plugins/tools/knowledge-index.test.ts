import { type Lance, loadLance } from '../../../plugins/tools/knowledge/store/lance.ts'
import { createPassageIndex } from '../../../plugins/tools/knowledge/store/passage-index.ts'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { createChance } from '../../support/random.ts'
import { createHome } from '../../support/server.ts'

/** No other process writes these indexes. */
const lock = { run: (_: string, work: () => Promise<unknown>) => work() }

const DIMENSIONS = 64
/** Enough for an index of vectors, see `VECTOR_INDEX_ROWS`. */
const PASSAGES = 30_000
const EACH = 1000
const CLUSTERS = 200
const NEAREST = 10

t.test('What is read stays in caches of a bounded size', async (t) => {
  const loaded = await loadLance()
  const opened: { approxNumItems(): number }[] = []
  class Session extends (loaded.lance.Session as new (...sizes: bigint[]) => { approxNumItems(): number }) {
    constructor(...sizes: bigint[]) {
      t.ok(sizes.length === 2 && sizes[0]! + sizes[1]! < 200n * 1024n * 1024n, 'its sizes are chosen')
      super(...sizes)
      opened.push(this)
    }
  }
  const lance = new Proxy(loaded.lance, {
    get: (module, name) => (name === 'Session' ? Session : Reflect.get(module, name)),
  })
  const load = async (): Promise<Lance> => ({ ...loaded, lance })
  const passages = createPassageIndex({ config: {}, server: { home: createHome(t) }, lock, load } as never)
  const index = { id: 'small', embedding_model: null, dimensions: null, chunk_tokens: 600, chunk_overlap: 60 }
  const passage = {
    base_id: 'base',
    document_id: 'doc',
    run: 'run',
    ordinal: 0,
    start: 0,
    end: 5,
    places: [],
  }
  for (let ordinal = 0; ordinal < 5; ordinal += 1) {
    await passages.add(index, [{ ...passage, ordinal, text: 'Otter', words: 'otter' }])
    const rows = await passages.findByWords(index, { words: 'otter', base_ids: ['base'], limit: 9 })
    t.equal(rows.length, ordinal + 1)
  }
  t.equal(opened.length, 1)
  t.ok(opened[0]!.approxNumItems() > 0, 'they are in use')
  await passages.close()
})

t.test(
  'The index of vectors finds the nearest passages of the chosen bases',
  { skip: onlyLong },
  async (t) => {
    const random = createChance(5)
    const scatter = () => Array.from({ length: DIMENSIONS }, () => random.int(-1000, 1000) / 1000)
    const middles = Array.from({ length: CLUSTERS }, scatter)
    const near = (cluster: number) => scatter().map((value, at) => middles[cluster]![at]! + 0.6 * value)
    const warnings: unknown[] = []
    const log = { warn: (facts: unknown) => warnings.push(facts), info: () => undefined }
    const passages = createPassageIndex({ config: {}, server: { home: createHome(t) }, lock, log } as never)
    const index = {
      ...{ id: 'near', embedding_model: 'any:model', dimensions: DIMENSIONS },
      ...{ chunk_tokens: 600, chunk_overlap: 60 },
    }
    const vectors = Array.from({ length: PASSAGES }, (_, n) => near(n % CLUSTERS))
    for (let from = 0; from < PASSAGES; from += EACH)
      await passages.add(
        index,
        vectors.slice(from, from + EACH).map((vector, ordinal) => ({
          ...{
            base_id: `base${(from / EACH) % 3}`,
            document_id: `doc${from / EACH}`,
            run: 'run',
            ordinal,
            vector,
          },
          ...{ start: 0, end: 1, places: [], text: 'x', words: 'x' },
        })),
      )
    await passages.tidy(index)
    t.strictSame(warnings, [])

    const scale = (vector: number[]) => {
      const length = Math.hypot(...vector)
      return vector.map((value) => value / length)
    }
    const scaled = vectors.map(scale)
    for (const base_ids of [['base0', 'base1', 'base2'], ['base1']]) {
      let count = 0
      const questions = 20
      for (let question = 0; question < questions; question += 1) {
        const vector = near(question * 7)
        const asked = scale(vector)
        const nearest = scaled
          .flatMap((other, n) => {
            const document = Math.floor(n / EACH)
            if (!base_ids.includes(`base${document % 3}`)) return []
            return [
              {
                key: `doc${document} ${n % EACH}`,
                score: asked.reduce((sum, value, at) => sum + value * other[at]!, 0),
              },
            ]
          })
          .sort((a, b) => b.score - a.score)
          .slice(0, NEAREST)
        const rows = await passages.findByVector(index, { vector, base_ids, limit: 60 })
        const hits = await passages.read(index, rows)
        const keys = new Set(hits.map(({ document_id, ordinal }) => `${document_id} ${ordinal}`))
        count += nearest.filter(({ key }) => keys.has(key)).length
      }
      const share = count / (questions * NEAREST)
      t.ok(share >= 0.95, `${(share * 100).toFixed(1)} % of the nearest in ${base_ids.join(', ')}`)
    }
    await passages.close()
  },
)
