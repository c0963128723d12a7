import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ModelDescription, ProviderConnection } from '#plugin-api'
import kind from '../../providers/openai-compatible/index.ts'
import t from '../run/file-test.ts'
import { connectionTo, listModels } from '../support/model-calls.ts'
import { ROOT } from '../support/packed.ts'

const FOLDER = join(ROOT, 'tests/fixtures/model-lists')
const KEY = 'sk-test-0123456789abcdef'

/** The lists of a vendor by their addresses, and what they say; prices are of the day on which a list is read. */
interface Recording {
  base_url: string
  answers: Record<string, unknown>
  models: ModelDescription[]
}

for (const file of readdirSync(FOLDER))
  t.test(`the list of ${file} says what each model is`, async (t) => {
    const { base_url, answers, models }: Recording = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))
    const keys = new Set<string | null>()
    const fetch: ProviderConnection['fetch'] = async (input, init) => {
      keys.add(new Headers(init?.headers).get('authorization'))
      const body = answers[String(input)]
      return body ? Response.json(body) : Response.json({ error: { message: 'No.' } }, { status: 403 })
    }
    const startDate = new Date().toISOString().slice(0, 10)
    const listed = await listModels(kind, connectionTo(base_url, { api_key: KEY, fetch }))
    const today = new Date().toISOString().slice(0, 10)
    const said = JSON.parse(JSON.stringify(listed)) as ModelDescription[]
    for (const { price } of said)
      if (price) t.ok([startDate, today].includes(price.as_of), `the price is as of ${price.as_of}`)
    t.strictSame(
      said.map(({ price, ...model }) => ({ ...model, ...(price && { price: { ...price, as_of: today } }) })),
      models.map(({ price, ...model }) => ({
        ...model,
        ...(price && { price: { ...price, as_of: today } }),
      })),
    )
    t.strictSame([...keys], [`Bearer ${KEY}`])
  })

t.test('a detailed list that is broken leaves the short one', async (t) => {
  const short = { data: [{ id: 'fast', created: 1_677_610_602 }] }
  for (const details of ['<html>', '[]', '{"data":{}}']) {
    const fetch: ProviderConnection['fetch'] = async (input) =>
      String(input).endsWith('/models') ? Response.json(short) : new Response(details)
    const listed = await listModels(kind, connectionTo('http://gateway.test/v1', { fetch }))
    t.match(listed, [{ id: 'fast', name: 'fast' }], details)
  }
  const stop = new AbortController()
  const fetch: ProviderConnection['fetch'] = async (input, init) => {
    if (String(input).endsWith('/models')) return Response.json(short)
    stop.abort(new Error('enough'))
    throw init!.signal!.reason
  }
  await t.rejects(listModels(kind, connectionTo('http://gateway.test/v1', { fetch }), stop.signal), /enough/)
})
