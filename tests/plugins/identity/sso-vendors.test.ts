import { once } from 'node:events'
import t from '../../run/file-test.ts'
import { onlyLong } from '../../run/tier.ts'
import { COMPANY } from '../../support/fake-sign-in-dingtalk.ts'
import { SSO_PUBLIC_URL } from '../../support/oidc-client.ts'
import { startServer } from '../../support/server.ts'
import { CALLBACK, type Person, startVendors, type Vendor } from '../../support/sign-in-vendors.ts'
import { createBrowser, reasonIn, toldBy } from '../../support/sso-browser.ts'

/** The parameters that the console receives: a code, a binding, or an error. */
const toldOf = (page: URL): Record<string, string> =>
  page.hash ? toldBy(page) : { oauth_error: reasonIn(page)! }

const vendors = Object.values(await startVendors(t))

t.test('users sign in with the platforms', async (t) => {
  const server = await startServer(t, {
    config: {
      http: { public_url: SSO_PUBLIC_URL },
      plugins: {
        auth: { endpoints: Object.fromEntries(vendors.map(({ kind, endpoints }) => [kind, endpoints])) },
      },
    },
  })
  const put = (kind: string, body: object) => server.request('PUT', `/auth/oauth/providers/${kind}`, { body })
  const me = async (token: string) => (await server.request('GET', '/auth/me', { token })).body
  const seenByClients: string[] = []

  /** Signs a user in; returns the login, or the reason of the failure. */
  const signIn = async (vendor: Vendor, person: Person | null) => {
    const browser = createBrowser(server)
    vendor.fake.state.visitor = person
    const arrival = toldOf(await browser.arrive({ kind: vendor.kind }))
    t.same(browser.cookies(), [], 'no cookie is left')
    seenByClients.push(JSON.stringify(arrival))
    if (!arrival.code) return arrival as { oauth_error?: string }
    const { status, body } = await server.request('POST', '/auth/oauth/exchange', {
      token: null,
      body: { code: arrival.code },
    })
    t.equal(status, 200)
    return { token: body.access_token as string, user: body.user }
  }
  const enter = async (vendor: Vendor, person: Person) => {
    const login = await signIn(vendor, person)
    if (!('token' in login)) throw new Error(`nobody was signed in: ${JSON.stringify(login)}`)
    return login as { token: string; user: { id: string; username: string; permissions: string[] } }
  }

  const { id, token } = await server.createUser({ username: 'carol' })

  for (const [vendorIndex, vendor] of vendors.entries()) {
    const { kind, fake } = vendor
    const { client_id, client_secret, agent_id } = fake.app
    const needed = { client_id, client_secret, ...(kind === 'wecom' && { agent_id }) }

    await t.test(`${kind}: settings`, async (t) => {
      t.equal((await put(kind, { enabled: true, client_id })).status, 422, 'not without a secret')
      const { status, body } = await put(kind, { enabled: true, ...needed })
      t.equal(status, 200, JSON.stringify(body))
      t.match(body, { kind, enabled: true, has_client_secret: true, redirect_uri: CALLBACK })
      const test = () => server.request('POST', `/auth/oauth/providers/${kind}/test`, { body: {} })
      t.match((await test()).body, { ok: true })
      await put(kind, { client_secret: 'wrong' })
      t.match((await test()).body, { ok: false, reason: 'misconfigured', detail: /refuses/ })
      await put(kind, { client_secret })
      const { providers } = (await server.request('GET', '/auth/oauth/status', { token: null })).body
      t.equal(providers.find((row: { kind: string }) => row.kind === kind).enabled, true)
    })

    await t.test(`${kind}: one account for one person`, async (t) => {
      const first = await enter(vendor, vendor.person(`${kind}Ann`))
      t.match(await me(first.token), {
        username: `${kind}ann`,
        display_name: `${kind}Ann 张`,
        email: `${kind}Ann@example.com`,
        role: 'user',
        permissions: [],
      })
      t.equal((await enter(vendor, vendor.person(`${kind}Ann`))).user.id, first.user.id)
      t.not((await enter(vendor, vendor.person(`${kind}Bob`))).user.id, first.user.id)
    })

    await t.test(`${kind}: rules read what the platform says`, async (t) => {
      const [claim, value] = {
        feishu: ['tenant_key', '736588c9260f175d'],
        dingtalk: ['corpId', COMPANY],
        wecom: ['department', '7'],
      }[kind] as [string, string]
      await put(kind, { rules: [{ claim, value, permissions: ['sso'] }] })
      const { user } = await enter(vendor, vendor.person(`${kind}Ann`))
      t.same(user.permissions, ['sso'])
      await put(kind, { rules: [] })
    })

    await t.test(`${kind}: an account is bound and unbound`, async (t) => {
      const person = vendor.person(`${kind}Carol`)
      const browser = createBrowser(server)
      fake.state.visitor = person
      const arrival = toldOf(await browser.arrive({ kind, token }))
      t.match(arrival, { bound: kind })
      t.match((await server.request('GET', '/auth/oauth/bindings', { token })).body, [{ kind }])
      t.equal((await enter(vendor, person)).user.id, id)
      const unbind = () => server.request('POST', '/auth/oauth/unbind', { token, body: { kind } })
      t.equal((await unbind()).status, 204)
      t.equal((await unbind()).status, 404)
      t.same((await server.request('GET', '/auth/oauth/bindings', { token })).body, [])
      t.not((await enter(vendor, person)).user.id, id)
    })

    const person = vendor.person(`${kind}Dan`)
    const last = vendor.who.call
    const isNobody = { ...person, [vendor.who.ids[0]!]: [] }
    const troubles: [string, string, () => void][] = [
      ['refuses', 'denied', () => {}],
      ['comes after the app got another secret', 'misconfigured', () => fake.changeSecret('another')],
      ['comes with a code that is too old', 'exchange', () => fake.age(5 * 60_000)],
      ['meets nonsense', 'exchange', () => fake.break(last, { body: '<html>' })],
      ['meets an error', 'exchange', () => fake.break(last, { status: 503, body: {} })],
      ['is nobody', 'exchange', () => fake.break(last, { body: vendor.who.wrap(isNobody) })],
    ]
    for (const [index, [name, reason, arrange]] of troubles.entries()) {
      const skip = index % vendors.length !== vendorIndex && onlyLong
      await t.test(`${kind}: somebody who ${name} is not signed in`, { skip }, async (t) => {
        t.teardown(() => {
          fake.heal()
          fake.changeSecret(client_secret)
        })
        arrange()
        t.same(await signIn(vendor, name === 'refuses' ? null : person), { oauth_error: reason })
      })
    }

    await t.test(
      `${kind}: a callback is used up by its first use, and works only in its own browser`,
      { skip: kind !== 'wecom' && onlyLong },
      async (t) => {
        const browser = createBrowser(server)
        fake.state.visitor = person
        const back = await browser.authorize({ kind })
        t.same(
          toldOf(await createBrowser(server).comeBack(back)),
          { oauth_error: 'state' },
          'another browser',
        )

        const again = await browser.authorize({ kind })
        t.ok(toldOf(await browser.comeBack(again)).code)
        t.same(toldOf(await browser.comeBack(again)), { oauth_error: 'state' }, 'the same once more')

        const forged = new URL(await browser.authorize({ kind }))
        forged.searchParams.set('state', 'x'.repeat(43))
        t.same(toldOf(await browser.comeBack(forged.href)), { oauth_error: 'state' }, 'another state')

        const mine = new URL(await browser.authorize({ kind }))
        const other = new URL(await browser.authorize({ kind }))
        const name = kind === 'dingtalk' ? 'authCode' : 'code'
        mine.searchParams.set(name, 'nothing')
        t.same(toldOf(await browser.comeBack(mine.href)), { oauth_error: 'exchange' }, 'another code')
        other.searchParams.delete(name)
        t.same(toldOf(await browser.comeBack(other.href)), { oauth_error: 'denied' }, 'no code')
      },
    )
  }

  await t.test('no secret is sent, stored in clear text or logged', async (t) => {
    const { body } = await server.request('GET', '/admin/audit-log?limit=200')
    const rows = JSON.stringify(body)
    t.match(rows, /auth\.oauth_login/)
    const accounts = JSON.stringify(await server.db.collection('users').find().toArray())
    const settings = JSON.stringify(await server.db.collection('sso_providers').find().toArray())
    t.match(server.logged(), /WeCom refuses the code/)
    const places = { rows, accounts, settings, log: server.logged(), clients: seenByClients.join() }
    for (const { kind, fake } of vendors)
      for (const [name, content] of Object.entries(places))
        t.same(
          [...fake.issued, fake.app.client_secret].filter((secret) => content.includes(secret)),
          [],
          `${name} of ${kind}`,
        )
  })

  await t.test('the server stops while platforms are silent', async (t) => {
    const returning = vendors.map(async (vendor) => {
      const { fake, kind, person } = vendor
      fake.heal()
      fake.break(vendor.who.call, 'silence')
      const browser = createBrowser(server)
      fake.state.visitor = person(`${kind}Eve`)
      const back = await browser.authorize({ kind })
      const silence = once(fake.events, 'silence')
      const abandoned = once(fake.events, 'abandoned')
      const left = browser.comeBack(back).then(toldOf, () => 'cut')
      await silence
      return { abandoned, left }
    })
    const waiting = await Promise.all(returning)
    await server.stop()
    for (const { abandoned, left } of waiting) {
      await abandoned
      t.equal(((await left) as { code?: string }).code, undefined, 'nobody was signed in')
    }
  })
})
