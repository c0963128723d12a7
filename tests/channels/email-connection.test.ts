import { createGuardedFetch } from '#kernel'
import type { ChannelKind, ChannelSettings } from '#plugin-api'
import { createEmailKind } from '../../channels/email/index.ts'
import { eventually } from '../../plugin-api/testing/waiting.ts'
import t, { type Test } from '../run/file-test.ts'
import { makeCertificate } from '../support/certificate.ts'
import { ADDRESS, type FakeEmail, startFakeEmail } from '../support/fake-email.ts'
import { createCursor, openChannel, settingsFor } from '../support/open-channel.ts'

const { signal } = new AbortController()
const kind = createEmailKind({ pollMs: 200 })

const failureOf = (act: Promise<unknown>) =>
  act.then(
    () => 'it worked',
    (error) => error,
  )

async function start(t: Test, options?: Parameters<typeof startFakeEmail>[0]) {
  const fake = await startFakeEmail(options)
  t.teardown(() => fake.close())
  return fake
}

const mailOf = (id: string) =>
  `Message-ID: <${id}@people.example>\nFrom: ann@people.example\nTo: ${ADDRESS}\n\n${id}`

t.test('nothing is lost and nothing comes twice over restarts', async (t) => {
  const fake = await start(t)
  fake.deliver(mailOf('old'))
  const cursor = createCursor()
  const first = await openChannel(t, kind, fake, { cursor })
  await fake.seeRead(fake.deliver(mailOf('one')))
  await first.close()
  t.equal(fake.imap.connections(), 0)
  const [two, three] = [fake.deliver(mailOf('two')), fake.deliver(mailOf('three'))]
  const second = await openChannel(t, kind, fake, { cursor })
  await fake.seeRead(two)
  await fake.seeRead(three)
  await second.close()
  const third = await openChannel(t, kind, fake, { cursor })
  await fake.seeRead(fake.deliver(mailOf('four')))
  const texts = [first, second, third].map(({ received }) => received.map(({ text }) => text))
  t.same(texts, [['one'], ['two', 'three'], ['four']])
})

t.test('a folder that is numbered anew loses nothing', async (t) => {
  const fake = await start(t)
  const cursor = createCursor()
  const first = await openChannel(t, kind, fake, { cursor })
  await fake.seeRead(fake.deliver(mailOf('one')))
  await first.close()
  const two = mailOf('two')
  fake.deliver(two)
  fake.deliver(mailOf('old'), new Date(Date.now() - 40 * 24 * 3_600_000))
  fake.imap.renumber(500)
  const second = await openChannel(t, kind, fake, { cursor })
  await fake.seeRead(501)
  await fake.seeRead(fake.deliver(mailOf('three')))
  // Earlier mails keep their ids, so that the gateway drops them.
  t.same(
    second.received.map(({ id }) => id),
    ['one', 'two', 'three'].map((id) => `<${id}@people.example>`),
  )
  t.equal(second.received[0]!.id, first.received[0]!.id)
  t.match(second.logged(), 'numbered its mails anew')
})

t.test('a refused password is tried once, and the words say so', async (t) => {
  const fake = await start(t)
  const wrong = { ...fake.config, password: 'wrong' }
  const error = await failureOf(openChannel(t, kind, fake, { config: wrong }))
  t.match(error, {
    reason: 'invalid_credentials',
    retry_after_ms: 3_600_000,
    message: /app password.*in an hour/,
  })
  t.equal(fake.smtpLogins() + fake.imap.logins(), 1, 'the other server is not asked as well')
  fake.imap.refuseLogins('[AUTHENTICATIONFAILED] no')
  t.match(await failureOf(openChannel(t, kind, fake)), {
    reason: 'invalid_credentials',
    message: /IMAP server/,
  })
  fake.imap.refuseLogins('[UNAVAILABLE] the directory is down')
  t.match(await failureOf(openChannel(t, kind, fake)), {
    reason: 'unreachable',
    message: /the directory is down/,
  })
  fake.imap.refuseLogins('[LIMIT] too many connections')
  t.match(await failureOf(openChannel(t, kind, fake)), { reason: 'rate_limited' })
  fake.imap.refuseLogins(undefined)
  t.match(await failureOf(openChannel(t, kind, fake, { config: { ...fake.config, mailbox: 'Nowhere' } })), {
    reason: 'not_found',
    message: /"Nowhere"/,
  })
})

t.test('a password that is changed while the channel is open closes it', async (t) => {
  const fake = await start(t)
  const { connection, states, received } = await openChannel(t, kind, fake)
  await fake.seeRead(fake.deliver(mailOf('one')))
  fake.refuseNext(535, '5.7.8 no longer', 'recipient')
  const message = { key: '01JZ0000000000000000000000', text: 'x' }
  t.match(await failureOf(connection.send(received[0]!.target, message, signal)), {
    reason: 'invalid_credentials',
  })
  t.same(states, ['lost: invalid_credentials'])
})

t.test('a server without IDLE is asked for new mails', async (t) => {
  const fake = await start(t)
  fake.imap.withoutIdle()
  const { received } = await openChannel(t, kind, fake)
  await fake.seeRead(fake.deliver(mailOf('one')))
  await fake.seeRead(fake.deliver(mailOf('two')))
  t.same(
    received.map(({ text }) => text),
    ['one', 'two'],
  )
  t.ok(fake.imap.commands.includes('NOOP'))
})

t.test('a message that cannot be stored is received again', async (t) => {
  const fake = await start(t)
  let refusals = 2
  const { received, logged } = await openChannel(t, kind, fake, {
    async receive() {
      refusals -= 1
      if (refusals >= 0) throw new Error('the database is unavailable')
    },
  })
  const [one, two] = [fake.deliver(mailOf('one')), fake.deliver(mailOf('two'))]
  await fake.seeRead(one)
  await fake.seeRead(two)
  t.same(
    received.map(({ text }) => text),
    ['one', 'two'],
  )
  t.match(logged(), 'tried again')
})

t.test('a connection that is cut is reported', async (t) => {
  const fake = await start(t)
  const { states } = await openChannel(t, kind, fake)
  fake.drop()
  await eventually('the loss is reported', () => states.includes('lost: unreachable'))
})

/** Settings for a server whose name leads to this machine, as that of another machine would lead there. */
function namedSettings(fake: FakeEmail, kind: ChannelKind, scheme: '' | 's', changes = {}): ChannelSettings {
  const rename = (url: unknown) =>
    String(url).replace(
      /^(imap|smtp)s?:\/\/127\.0\.0\.1/,
      (_, protocol) => `${protocol}${scheme}://mail.example`,
    )
  const { imap_url, smtp_url } = fake.config
  const config = { ...fake.config, imap_url: rename(imap_url), smtp_url: rename(smtp_url), ...changes }
  const lookup = ((_name: string, _options: unknown, callback: (...result: unknown[]) => void) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }])) as never
  const guard = createGuardedFetch({ allowHosts: ['mail.example'], lookup })
  return { ...settingsFor(kind, fake, config), assertAllowed: guard.assertAllowed, lookup: guard.lookup }
}

t.test('connections are encrypted', async (t) => {
  const certificate = makeCertificate(t.testdir(), 'mail.example')
  const trusting = createEmailKind({ tls: { ca: certificate.cert } })
  for (const secure of [true, false]) {
    const fake = await start(t, { certificate, secure })
    const scheme = secure ? 's' : ''
    const name = secure ? 'TLS' : 'STARTTLS'
    await trusting.probe(namedSettings(fake, trusting, scheme), signal)
    t.match(
      await failureOf(kind.probe(namedSettings(fake, kind, scheme), signal)),
      { reason: 'unreachable', message: /certificate/ },
      `${name}: a certificate that nobody has signed is refused`,
    )
  }
  const plain = await start(t)
  t.match(await failureOf(kind.probe(namedSettings(plain, kind, ''), signal)), {
    reason: 'unsupported',
    message: /no STARTTLS.*smtps:\/\//,
  })
  t.equal(plain.smtpLogins() + plain.imap.logins(), 0, 'the password was not sent')
  await kind.probe(namedSettings(plain, kind, '', { allow_plain_text: true }), signal)
  t.match(await failureOf(kind.probe(namedSettings(plain, kind, 's'), signal)), { reason: 'unreachable' })
})

t.test('servers in a private network are not reached', async (t) => {
  const fake = await start(t)
  const guard = createGuardedFetch({ allowHosts: [] })
  const settings = { ...settingsFor(kind, fake), assertAllowed: guard.assertAllowed, lookup: guard.lookup }
  t.match(await failureOf(kind.probe(settings, signal)), { code: 'ADDRESS_NOT_ALLOWED' })
  t.equal(fake.smtpLogins() + fake.imap.logins(), 0)
})

t.test('settings that cannot work are refused with words', async (t) => {
  const check = (config: Record<string, unknown>) => {
    try {
      kind.check!(config)
      return 'fine'
    } catch (error) {
      return (error as Error).message
    }
  }
  t.match(check({ address: 'a@b.example', allowed_senders: ['A@b.example'] }), /own mails are never answered/)
  t.match(
    check({ allowed_senders: ['b.example'], allow_from: ['x@c.example'] }),
    /allow_from names x@c\.example/,
  )
  t.equal(
    check({ address: 'a@b.example', allowed_senders: ['b.example'], allow_from: ['x@B.example'] }),
    'fine',
  )
  t.equal(
    kind.identity!({ address: 'A@b.example', imap_url: 'imaps://IMAP.b.example' }),
    'a@b.example imap.b.example INBOX',
  )
})
