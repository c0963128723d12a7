import { definePlugin, defineRoute } from '#plugin-api'
import t from '../run/file-test.ts'

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

/** Compiled, not run: each line below an expected error has to be one. */
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
    // @ts-expect-error: it may be missing
    host.service('gauge', ({ config }) => ({ level: config.offset }))
    // @ts-expect-error: no such setting
    host.service('gauge', ({ config }) => ({ level: config.height }))
    // @ts-expect-error: declared as the plugin's own
    host.provide('gauge', () => ({ level: 1 }))
    host.provide('tideTable', ({ collections }) => ({ read: () => collections.tides.find().toArray() }))
    host.job({ name: 'tides', every_seconds: 60, run: ({ users, gauge }) => users.find(String(gauge.level)) })
    // @ts-expect-error: a service of a plugin that it does not depend on
    host.job({ name: 'tides', every_seconds: 60, run: ({ agents }) => agents })
    // @ts-expect-error: another plugin's own
    host.job({ name: 'tides', every_seconds: 60, run: ({ sessionWatch }) => sessionWatch })
    host.on('tide.turned', ({ metres }, { log }) => log.info({ metres }, 'turned'))
    // @ts-expect-error: no such event
    host.on('tide.froze', () => {})
    // @ts-expect-error: no such field
    host.on('tide.turned', ({ feet }) => feet)
    const refuse = () => {
      throw host.error('LOW_WATER', { cause: host.error('AUTH_FAILED') })
    }
    // @ts-expect-error: no table has it
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
    // @ts-expect-error: an extension point of no plugin
    host.extend('tides.buoys', {})
    // @ts-expect-error: not a tool
    host.extend('agents.tools', { name: 'row' })
  },
})

t.test('a plugin is typed by its manifest', async (t) => {
  t.match(tides, { name: 'tides', depends: ['users', 'auth'] })
})
