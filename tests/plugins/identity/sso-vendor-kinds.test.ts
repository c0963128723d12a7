import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { createGuardedFetch } from '#kernel'
import t from '../../run/file-test.ts'
import { isLong, roundRobin } from '../../run/tier.ts'
import type { Fault } from '../../support/fake-sign-in-vendor.ts'
import { benchOf, challenge, comeBack, failureOf, never } from '../../support/sign-in-bench.ts'
import { startVendors } from '../../support/sign-in-vendors.ts'

const vendors = Object.values(await startVendors(t))

const GARBAGE: [string, Fault, RegExp][] = [
  ['HTML', { body: '<html>' }, /no usable content/],
  ['an empty answer', { body: '' }, /no usable content/],
  ['null', { body: null }, /no usable content/],
  ['an array', { body: [{ code: 0 }] }, /no usable content/],
  ['an empty object', { body: {} }, /refuses|usable/],
  ['more than a megabyte', { body: { pad: 'x'.repeat(1024 * 1024) } }, /no usable content/],
  ['HTTP 500', { status: 500, body: { code: 0, errcode: 0 } }, /HTTP 500/],
  ['HTTP 502 in HTML', { status: 502, body: '<html>' }, /HTTP 502/],
  ['HTTP 429', { status: 429, body: { code: 99991400, errcode: 45009 } }, /429|99991400|45009/],
]

for (const vendor of vendors)
  t.test(`the kind ${vendor.kind}`, async (t) => {
    const { fake, create, endpoints, calls, who } = vendor
    const { make, made, settings, signIn, fails } = benchOf(vendor)
    t.afterEach(() => fake.heal())

    await t.test('identifies the user', async (t) => {
      const person = vendor.person('Zhang')
      const identity = await signIn(person)
      t.match(identity, {
        subject: vendor.subject(person),
        display_name: 'Zhang 张',
        email: 'Zhang@example.com',
        claims: person,
      })
      t.ok(identity.issuer)
      t.same((await signIn(person)).issuer, identity.issuer, 'the issuer stays')
    })

    await t.test('tests its settings', async (t) => {
      await made.test(settings, never)
      await fails(t, made.test({ ...settings, client_secret: 'wrong' }, never), 'misconfigured', /refuses/)
      await fails(t, made.test({ ...settings, client_id: 'wrong' }, never), 'misconfigured', /refuses/)
    })

    await t.test('reports why a sign-in failed', async (t) => {
      const person = vendor.person('li')
      await fails(t, signIn(person, { client_secret: 'wrong' }), 'misconfigured', /refuses/)
      await fails(t, signIn(null), 'denied', /no code/)

      const back = await comeBack(vendor, made, settings, person)
      await made.identify(settings, challenge, back, never)
      await fails(t, made.identify(settings, challenge, back, never), 'exchange', /refuses the code/)

      const late = await comeBack(vendor, made, settings, person)
      fake.age(5 * 60_000)
      await fails(t, made.identify(settings, challenge, late, never), 'exchange', /refuses the code/)
      fake.heal()

      const two = await comeBack(vendor, made, settings, person)
      two.searchParams.append('code', 'another')
      await fails(t, made.identify(settings, challenge, two, never), 'exchange', /more than one code/)
    })

    for (const [callIndex, call] of calls.entries()) {
      const garbage = GARBAGE.filter((_, index) => isLong || index % calls.length === callIndex)
      await t.test(`refuses unusable answers of ${call}`, async (t) => {
        for (const [name, fault, message] of garbage)
          await t.test(name, async (t) => {
            fake.break(call, fault)
            await fails(t, signIn(vendor.person('wang')), 'exchange', message)
          })
      })

      await t.test(`is aborted by the signal while ${call} is silent`, async (t) => {
        fake.break(call, 'silence')
        const kind = make()
        const back = await comeBack(vendor, kind, settings, vendor.person('wang'))
        const leaving = new AbortController()
        const [silence, abandoned] = [once(fake.events, 'silence'), once(fake.events, 'abandoned')]
        const work = failureOf(kind.identify(settings, challenge, back, leaving.signal))
        await silence
        leaving.abort(new Error('the client has left'))
        t.match(await work, { message: 'the client has left' })
        await abandoned
      })
    }

    await t.test('refuses users with unusable fields', async (t) => {
      const person = vendor.person('zhao')
      const ids = [undefined, null, '', ' ', 7, true, [], ['x'], {}, 'a b', 'x\n', 'é', 'x'.repeat(257)]
      for (const [index, value] of ids.entries())
        for (const field of roundRobin(who.ids, index)) {
          fake.break(who.call, { body: who.wrap({ ...person, [field]: value }) })
          await fails(t, signIn(person), 'exchange', new RegExp(field))
        }
      const texts = [7, false, ['x'], {}, 'x'.repeat(4097)]
      for (const [index, value] of texts.entries())
        for (const field of roundRobin(who.texts, index)) {
          fake.break(who.call, { body: who.wrap({ ...person, [field]: value }) })
          await fails(t, signIn(person), 'exchange', new RegExp(field))
        }
      for (const value of ['', ' ', null, undefined]) {
        const texts = Object.fromEntries(who.texts.map((field) => [field, value]))
        fake.break(who.call, { body: who.wrap({ ...person, ...texts }) })
        t.match(await signIn(person), { display_name: null, email: null })
      }
    })

    await t.test('does not follow redirects of the platform', async (t) => {
      const redirecting: typeof fetch = (url, init) => {
        t.equal(init?.redirect, 'error')
        return fetch(url, init)
      }
      await create({ fetch: redirecting, endpoints }).test(settings, never)
    })

    await t.test('does not connect to forbidden addresses', async (t) => {
      const guarded = createGuardedFetch({ allowHosts: [] })
      t.teardown(() => guarded.close())
      const kind = create({ fetch: guarded.fetch, endpoints })
      await fails(t, kind.test(settings, never), 'misconfigured', /is not allowed/)
    })

    await t.test('reports a refused connection', async (t) => {
      const gone = createServer().listen(0, '127.0.0.1')
      await once(gone, 'listening')
      const { port } = gone.address() as AddressInfo
      gone.close()
      const address = `http://127.0.0.1:${port}`
      const nowhere = Object.fromEntries(Object.keys(endpoints).map((name) => [name, address]))
      const kind = create({ fetch, endpoints: nowhere })
      await fails(t, kind.test(settings, never), 'exchange', /cannot be reached \(ECONNREFUSED\)/)
    })
  })
