import t from '../run/file-test.ts'
import { pluginSource, routeSource, startKernel } from '../support/kernel.ts'

t.test(
  'ids have a prefix, contain their time and increase strictly, even within a millisecond',
  async (t) => {
    const expression = `{ ids: Array.from({ length: 20000 }, () => cradle.ids.make('thr_')), bare: cradle.ids.make() }`
    const plugins = { maker: pluginSource('maker', `host.routes([${routeSource('/ids', expression)}])`) }
    const server = await startKernel(t, { plugins })
    const startedAt = Date.now()
    const first: string[] = (await server.request('GET', '/ids')).body.ids
    const { ids: second, bare } = (await server.request('GET', '/ids')).body
    const ids = [...first, ...second]
    t.ok(ids.every((id) => /^thr_[0-9A-HJKMNP-TV-Z]{26}$/.test(id)))
    t.ok(ids.every((id, at) => at === 0 || id > ids[at - 1]!))
    t.match(bare, /^[0-9A-HJKMNP-TV-Z]{26}$/)
    t.ok(`thr_${bare}` > ids.at(-1)!)
    const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
    const time = [...bare.slice(0, 10)].reduce((sum, digit) => sum * 32 + digits.indexOf(digit), 0)
    t.ok(time >= startedAt && time <= Date.now())
  },
)

t.test('two servers create different ids', async (t) => {
  const plugins = {
    maker: pluginSource('maker', `host.routes([${routeSource('/id', 'cradle.ids.make().slice(10)')}])`),
  }
  const [one, two] = await Promise.all([startKernel(t, { plugins }), startKernel(t, { plugins })])
  t.not((await one.request('GET', '/id')).body, (await two.request('GET', '/id')).body)
})
