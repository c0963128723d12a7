import t from '../run/file-test.ts'
import { startServer } from '../support/server.ts'

/** A plugin with a kind of channel and a kind of connector whose configs have secrets at several depths. */
const VAULT = `
const text = { type: 'string' }
const config_schema = {
  type: 'object',
  properties: {
    address: { ...text, format: 'url' },
    login: { type: 'object', properties: { user: text, password: { ...text, writeOnly: true } } },
    keys: { type: 'array', items: { type: 'object', additionalProperties: text }, writeOnly: true },
    pin: { type: 'integer', writeOnly: true },
    note: text,
  },
  required: ['address'],
  additionalProperties: false,
}
const kind = { kind: 'vault', label: { en: 'Vault', zh: '保险库' }, config_schema, addresses: ['address'] }
const limits = { dialect: 'plain', max_length: 1000, length_unit: 'characters' }
export default {
  name: 'vault', summary: 'A vault', kernel: 1,
  setup(host) {
    host.extend('channels.kinds', {
      ...kind,
      capabilities: { direct: limits, group: limits },
      async probe({ config }) { process.emit('vault opened', config) },
      async open() { throw new Error('closed') },
    })
    host.extend('connectors.kinds', {
      ...kind,
      auth: 'none',
      target(config) {
        process.emit('vault opened', config)
        return { transport: 'http', url: config.address }
      },
    })
  },
}
`

const server = await startServer(t, {
  plugins: { vault: VAULT },
  config: { plugins: { channels: { allow_hosts: ['192.0.2.1', '192.0.2.2'] } } },
})
const [agent] = (await server.request('GET', '/agents')).body

const address = 'https://192.0.2.1'
const SECRETS = {
  login: { user: 'ann-of-the-vault', password: 'nested-password-1' },
  keys: [{ main: 'nested-key-main' }, { spare: 'nested-key-spare' }],
  pin: 123456789,
}
const MASKED = {
  login: { user: '••••ault', password: '••••rd-1' },
  keys: [{ main: '••••main' }, { spare: '••••pare' }],
  pin: '••••6789',
}
const PATHS = ['/login/user', '/login/password', '/keys/0/main', '/keys/1/spare', '/pin']

for (const { noun, path, fields } of [
  { noun: 'channel', path: `/agents/${agent.id}/channels`, fields: { enabled: false } },
  { noun: 'connector', path: '/connectors', fields: { scope: 'global' } },
])
  t.test(`every value within a secret field of a ${noun} is a secret`, async (t) => {
    const opened: unknown[] = []
    const noteOpened = (config: unknown) => void opened.push(config)
    process.on('vault opened' as never, noteOpened as never)
    t.teardown(() => process.off('vault opened', noteOpened))
    const config = { address, note: 'plain', ...SECRETS }
    const created = await server.request('POST', path, {
      body: { kind: 'vault', name: 'v', config, ...fields },
    })
    const shown = { address, note: 'plain', ...MASKED }
    t.match(created, { status: 201, body: { config: shown } })
    const own = `${path}/${created.body.id}`
    const stored = await server.db.collection<{ _id: string }>(`${noun}s`).findOne({ _id: created.body.id })
    for (const reply of [stored, (await server.request('GET', path)).body, created.body])
      t.notMatch(JSON.stringify(reply), /nested-|ann-of|123456789/)

    const change = (config: object) => server.request('PATCH', own, { body: { config } })
    t.match(await change({ ...MASKED, note: 'new' }), {
      status: 200,
      body: { config: { ...shown, note: 'new' } },
    })
    await server.request('POST', `${own}/test`, { body: {} })
    t.strictSame(opened.at(-1), { address, note: 'new', ...SECRETS }, 'masks keep what is stored')

    for (const [config, pointer] of [
      [{ keys: [{ main: '••••else' }] }, '/config/keys/0/main'],
      [{ keys: [{ 'a/b~c': '••••else' }] }, '/config/keys/0/a~1b~0c'],
    ] as const) {
      const issues = [{ path: pointer, rule: 'mask' }]
      t.match(await change(config), { status: 422, body: { error: { details: { issues } } } })
    }

    const elsewhere = 'https://192.0.2.2'
    for (const config of [{ address: elsewhere }, { address: elsewhere, ...MASKED }]) {
      const { status, body } = await change(config)
      t.equal(status, 422)
      t.strictSame(
        body.error.details.issues.map(({ path, rule }: { path: string; rule: string }) => [path, rule]),
        PATHS.map((path) => [`/config${path}`, 'address']),
        'secrets stay at the address that they were entered for',
      )
    }
    t.equal((await change({ address: elsewhere, ...SECRETS })).status, 200)
  })
