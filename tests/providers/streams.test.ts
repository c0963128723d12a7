import { readFileSync } from 'node:fs'
import t from '../run/file-test.ts'
import { isLong, onlyLong } from '../run/tier.ts'
import { findFixtureFaults, findUsageFaults } from '../support/stream-faults.ts'
import { chooseFixtures, parseFixture, readFixtures } from '../support/stream-fixtures.ts'
import { type PlayedFixture, playAll, startStage } from '../support/stream-stage.ts'
import { TABLE_DOCUMENT, withStreamTable } from '../support/stream-table.ts'

/** The number of fixtures that are played at a time: some wait before they ask again. */
const PARALLEL = 8
/** The number of fixtures of each kind and behaviour in `npm test`. */
const PER_CELL = 3
/** The beginning of the names of the fixtures to play, such as `bedrock/`. */
const PREFIX = process.env.SVC_TEST_STREAMS

t.test('streams of vendors', async (t) => {
  const all = readFixtures()
  const matching = all.filter(({ name }) => name.startsWith(PREFIX ?? ''))
  const fixtures = isLong || PREFIX !== undefined ? matching : chooseFixtures(matching, PER_CELL)
  const stage = await startStage(t)
  const played = playAll(stage, fixtures, PARALLEL)
  const results: PlayedFixture[] = []

  for (const [index, { name, shows }] of fixtures.entries())
    await t.test(`${name}: ${shows}`, async (t) => {
      const result = await played[index]!
      results.push(result)
      t.strictSame(findFixtureFaults(result), [])
    })

  await t.test('the usage is what the frames have counted', async (t) => {
    const { body } = await stage.server.request('GET', '/usage/summary?granularity=by_model')
    t.strictSame(findUsageFaults(results, body.buckets), [])
  })

  const others = matching.length - fixtures.length
  if (others > 0) await t.test(`${others} more streams`, { skip: onlyLong }, async () => undefined)
})

t.test('a wrong field of a fixture is refused with the name of its file', async (t) => {
  const source = 'shows: Something\nbehaviour: usage\nturns:\n  - answers: []\n    say: hi\n'
  t.throws(() => parseFixture('ollama/wrong', source), /^ollama\/wrong\.yaml: .*say/)
})

t.test('the table of fixtures is up to date', async (t) => {
  const document = readFileSync(TABLE_DOCUMENT, 'utf8')
  t.equal(withStreamTable(document, readFixtures()), document, 'run npm run docs')
})
