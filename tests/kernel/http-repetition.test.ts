import { noteWrite, watchWrites } from '../../kernel/database/own-collections.ts'
import t from '../run/file-test.ts'
import { pluginSource, startKernel } from '../support/kernel.ts'

const kernel = new URL('../../kernel/index.js', import.meta.url).href
const audited: { action: string }[] = []
/** For each call that ran, true if it may have had an effect that lasts. */
const effects: boolean[] = []
Object.assign(globalThis, { audited, effects })

const press = `import { reply } from '${kernel}'
${pluginSource(
  'press',
  `
  let printed = 0
  const route = (path, more, handler) =>
    ({ method: 'POST', path, summary: 's', guard: 'badge', audit: 'press.print', response: { 200: {}, 201: {} }, handler, ...more })
  host.guard('badge', {
    check: ({ headers }) => (headers['x-user'] ? { caller: { id: headers['x-user'], username: headers['x-user'] } } : {}),
  })
  host.routes([
    route('/pages', { body: { type: 'object', properties: { a: {} } } }, () => ({ printed: ++printed })),
    route('/covers/:name', {}, () => reply(201, { printed: ++printed }, { Location: '/here' })),
    route('/open', { guard: 'public' }, () => ({ printed: ++printed })),
    route('/cards', { upload: { max_bytes: 1000 } }, ({ file }) => ({ printed: ++printed, size: file.size })),
  ])`,
)}`

/** Keeps replies in memory. */
const shelf = pluginSource(
  'shelf',
  `const kept = new Map()
   host.extend('kernel.repetition', async ({ account_id, key, fingerprint, perform, hasWritten }) => {
     const id = account_id + key + fingerprint
     if (kept.has(id)) return kept.get(id)
     kept.set(id, await perform())
     effects.push(hasWritten())
     return kept.get(id)
   })
   host.extend('kernel.audit', (record) => audited.push(record))`,
)

t.test('a call with an Idempotency-Key runs once, and its repetitions get the first reply', async (t) => {
  const server = await startKernel(t, { plugins: { press, shelf } })
  const call = async (path: string, key: string | undefined, body: unknown = {}, user = 'ann') => {
    const isForm = body instanceof FormData
    const response = await fetch(`${server.url}/api${path}`, {
      method: 'POST',
      body: isForm ? body : JSON.stringify(body),
      headers: {
        ...(!isForm && { 'Content-Type': 'application/json' }),
        ...(key !== undefined && { 'Idempotency-Key': key }),
        ...(user && { 'X-User': user }),
      },
    })
    const { status, headers } = response
    return { status, headers, body: await response.json(), replayed: headers.get('idempotent-replayed') }
  }
  t.match(await call('/pages', 'a'), { status: 200, body: { printed: 1 }, replayed: null })
  t.match(await call('/pages', 'a'), { status: 200, body: { printed: 1 }, replayed: 'true' })
  t.match(await call('/pages', 'b'), { body: { printed: 2 } })
  t.match(await call('/pages', undefined), { body: { printed: 3 }, replayed: null })
  t.match(await call('/pages', 'a', { a: 1 }), { body: { printed: 4 } }, 'another body is another call')
  t.match(await call('/pages', 'a', {}, 'ben'), { body: { printed: 5 } }, 'so is another account')
  t.match(await call('/pages', 'a', {}, ''), { body: { printed: 6 } }, 'nobody has no keys')
  t.match(await call('/open', 'a'), { body: { printed: 7 } })
  t.match(await call('/open', 'a'), { body: { printed: 8 } }, 'nor has a public route')

  const cover = await call('/covers/red', 'a')
  t.match(cover, { status: 201, body: { printed: 9 } })
  const again = await call('/covers/red', 'a')
  t.match(again, { status: 201, body: { printed: 9 }, replayed: 'true' })
  t.equal(again.headers.get('location'), '/here', 'headers are repeated')
  t.match(await call('/covers/blue', 'a'), { body: { printed: 10 } }, 'another path is another call')

  const form = (text: string) => {
    const data = new FormData()
    data.append('file', new Blob([text]), 'card.txt')
    return data
  }
  t.match(await call('/cards', 'c', form('one')), { body: { printed: 11, size: 3 } })
  t.match(await call('/cards', 'c', form('one')), { body: { printed: 11 }, replayed: 'true' })
  t.match(await call('/cards', 'c', form('two')), { body: { printed: 12, size: 3 }, replayed: null })

  for (const key of ['ü', 'a b', 'x'.repeat(129)]) {
    const refused = await call('/pages', encodeURIComponent(key) === key ? key : key.replace('ü', '\u00fc'))
    t.match(refused, { status: 400, body: { error: { code: 'BAD_REQUEST' } } }, key)
  }
  t.strictSame(effects, [...Array(effects.length - 2).fill(false), true, true], 'files may have been stored')
  t.equal(audited.length, 15, 'each call is audited once, refused ones included')

  const { body: api } = await server.request('GET', '/openapi.json')
  const named = (path: string) => api.paths[path].post.parameters.map(({ name }: { name: string }) => name)
  t.strictSame(named('/pages'), ['Idempotency-Key'])
  t.strictSame(named('/open'), [])
  t.match(api.paths['/pages'].post.responses[409].$ref, /IdempotencyKeyInUse/)
})

t.test('a write to the database is noted by the work that makes it, and by no other', async (t) => {
  noteWrite()
  const [first, second] = [watchWrites(), watchWrites()]
  await Promise.all([first.run(async () => noteWrite()), second.run(async () => undefined)])
  t.strictSame([first.hasWritten(), second.hasWritten()], [true, false])
})

t.test('without a plugin that keeps replies, keys are ignored', async (t) => {
  const server = await startKernel(t, { plugins: { press } })
  const headers = { 'Idempotency-Key': 'a', 'X-User': 'ann' }
  for (const printed of [1, 2])
    t.match(await server.request('POST', '/pages', { headers, body: {} }), { body: { printed } })
  const { body: api } = await server.request('GET', '/openapi.json')
  t.strictSame(api.paths['/pages'].post.parameters, [])
})
