import { APICallError } from '@ai-sdk/provider'
import azure from '../../providers/azure-openai/index.ts'
import google from '../../providers/google/index.ts'
import openai from '../../providers/openai/index.ts'
import t from '../run/file-test.ts'
import { amount, chooseSeed } from '../run/tier.ts'
import { connectionTo, readParts } from '../support/model-calls.ts'
import { createChance } from '../support/random.ts'
import { readFixtures } from '../support/stream-fixtures.ts'

const ODD = [null, 5, -1, '', 'x', true, [], {}, [null], [{}], { a: 1 }]

const seed = chooseSeed(7)
const rounds = amount({ short: 2, long: 40 })
t.test(`Odd values in any event end in an answer or in the upstream's error (seed ${seed})`, async (t) => {
  const { chance, pick } = createChance(seed)
  const mutate = (value: unknown): unknown => {
    if (chance(0.06)) return pick(ODD)
    if (Array.isArray(value)) return value.map(mutate)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).filter(() => !chance(0.06))
    return Object.fromEntries(entries.map(([key, part]) => [key, key === 'type' ? part : mutate(part)]))
  }
  const mutateLine = (line: string) =>
    line.startsWith('data: {')
      ? `data: ${JSON.stringify(mutate(JSON.parse(line.slice('data: '.length))))}`
      : line

  for (const kind of [openai, azure, google]) {
    const faults: unknown[] = []
    const fixtures = readFixtures().filter((fixture) => fixture.kind === kind.kind)
    const answers = fixtures.flatMap(({ turns, ...fixture }) =>
      turns.flatMap((turn) =>
        turn.answers.map(({ body = '', status = 200 }) => ({ ...fixture, body, status })),
      ),
    )
    for (const { name, model = 'some-model', options = {}, body, status } of answers)
      for (let n = 0; n < rounds && status < 400; n += 1) {
        const text = body.split('\n').map(mutateLine).join('\n')
        const connection = connectionTo('https://vendor.example.com/v1', {
          api_key: 'a-key',
          options: options as Record<string, unknown>,
          fetch: () =>
            Promise.resolve(
              new Response(`${text}\n\n`, { headers: { 'content-type': 'text/event-stream' } }),
            ),
        })
        const { error, parts } = await readParts(await kind.languageModel(connection as never, model))
        // The libraries report an error within a stream as a plain object.
        if (error instanceof Error && !APICallError.isInstance(error))
          faults.push([name, text, error.message])
        for (const part of parts) {
          if ('delta' in part && typeof part.delta !== 'string') faults.push([name, part])
          if (part.type === 'tool-call' && typeof part.input !== 'string') faults.push([name, part])
          if (part.type !== 'finish') continue
          const { inputTokens, outputTokens } = part.usage
          const counts = [inputTokens.total, inputTokens.noCache, outputTokens.total, outputTokens.text]
          if (counts.some((count) => count !== undefined && !(count >= 0))) faults.push([name, part.usage])
        }
      }
    t.strictSame(faults, [], kind.kind)
  }
})
