import { readFileSync } from 'node:fs'
import { ChannelFailure, definePlugin, defineRoute } from '#plugin-api'
import { addUsage, NO_USAGE } from '../../plugin-api/token-usage.ts'
import t from '../run/file-test.ts'
import { API_REPORT, describeApi } from '../support/api-report.ts'

interface Tide {
  _id: string
  metres: number
}

declare module '#kernel/types' {
  interface Services {
    tides: { tideTable: { read(): Promise<Tide[]> } }
  }
  interface PrivateServices {
    tides: { gauge: { level: number } }
    harbour: { pilots: string[] }
  }
  interface Collections {
    tides: { tides: Tide }
  }
  interface Events {
    'tide.turned': { metres: number }
  }
}

const listTides = { method: 'GET', path: '/tides', summary: 'List the tides', guard: 'user' } as const

/** Checked by the compiler alone: it fails if a line after `@ts-expect-error` has no type error. */
const tides = definePlugin({
  name: 'tides',
  summary: 'Tides',
  kernel: 1,
  depends: ['users', 'auth'],
  config: { port: { type: 'string', default: 'Hull' }, offset: { type: 'integer' } },
  errors: { LOW_WATER: { status: 409, message: { en: 'The water is low.', zh: '水位低。' } } },
  events: ['tide.turned'],
  setup(host) {
    host.collection('tides')
    // @ts-expect-error: a collection of another plugin
    host.collection('threads')
    host.service('gauge', ({ config }) => ({ level: config.port.length + (config.offset ?? 0) }))
    // @ts-expect-error: a setting without a default may be undefined
    host.service('gauge', ({ config }) => ({ level: config.offset }))
    // @ts-expect-error: an unknown setting
    host.service('gauge', ({ config }) => ({ level: config.height }))
    // @ts-expect-error: a private service cannot be provided to other plugins
    host.provide('gauge', () => ({ level: 1 }))
    host.provide('tideTable', ({ collections }) => ({ read: () => collections.tides.find().toArray() }))
    host.job({ name: 'tides', every_seconds: 60, run: ({ users, gauge }) => users.find(String(gauge.level)) })
    // @ts-expect-error: a service of a plugin that it does not depend on
    host.job({ name: 'tides', every_seconds: 60, run: ({ agents }) => agents })
    // @ts-expect-error: a private service of another plugin
    host.job({ name: 'tides', every_seconds: 60, run: ({ sessionWatch }) => sessionWatch })
    host.on('tide.turned', ({ metres }, { log }) => log.info({ metres }, 'turned'))
    // @ts-expect-error: an unknown event
    host.on('tide.froze', () => {})
    // @ts-expect-error: an unknown field of the event
    host.on('tide.turned', ({ feet }) => feet)
    const refuse = () => {
      throw host.error('LOW_WATER', { cause: host.error('AUTH_FAILED') })
    }
    // @ts-expect-error: a code that is in no error table
    host.error('HIGH_WATER')
    const response = { 200: { type: 'array', items: { type: 'integer' } } } as const
    host.routes([
      defineRoute({ ...listTides, response }).handle(async ({ caller }, { tideTable, users }) => {
        if (!(await users.find(caller.id))) refuse()
        return (await tideTable.read()).map(({ metres }) => metres)
      }),
      // @ts-expect-error: a reply of another type
      defineRoute({ ...listTides, response }).handle(async () => ['high']),
      // @ts-expect-error: a service of a plugin that it does not depend on
      defineRoute({ ...listTides, response }).handle(async (_, { threads }) => [threads]),
    ])
    // @ts-expect-error: an unknown extension point
    host.extend('tides.buoys', {})
    // @ts-expect-error: an incomplete tool
    host.extend('agents.tools', { name: 'row' })
  },
})

t.test('the types of a plugin follow from its manifest', async (t) => {
  t.match(tides, { name: 'tides', depends: ['users', 'auth'] })
})

t.test('plugin-api/api-report.md describes the public surface', async (t) => {
  t.equal(describeApi(), readFileSync(API_REPORT, 'utf8'), 'run `npm run api-report` to update it')
})

t.test('a channel failure carries its reason, its cause, and the time to wait if it is known', async (t) => {
  const cause = new Error('inner')
  t.match(new ChannelFailure('rate_limited', 'Slow down.', { retry_after_ms: 500, cause }), {
    reason: 'rate_limited',
    message: 'Slow down.',
    retry_after_ms: 500,
    cause,
  })
  t.match(new ChannelFailure('timeout', 'No answer.'), { reason: 'timeout', retry_after_ms: undefined })
})

t.test('token usage is added up', (t) => {
  const counted = { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
  const cached = { ...counted, cached_input_tokens: 4, reasoning_tokens: 2 }
  t.strictSame(addUsage(addUsage(NO_USAGE, counted), cached), {
    input_tokens: 20,
    output_tokens: 10,
    total_tokens: 30,
    cached_input_tokens: 4,
    reasoning_tokens: 2,
  })
  const sum = addUsage(addUsage(counted, { ...counted, is_estimated: true }), cached)
  t.match(sum, { total_tokens: 45, is_estimated: true }, 'an estimate marks the sum')
  t.end()
})
