import { buffer } from 'node:stream/consumers'
import type { JSONValue } from '#plugin-api'
import slack from '../../channels/slack/index.ts'
import t, { type Test } from '../run/file-test.ts'
import { startFakeSlack } from '../support/fake-slack.ts'
import { openChannel } from '../support/open-channel.ts'
import { never } from './channel-calls.ts'

const failure = (reason: string, more: object = {}) => ({ name: 'ChannelFailure', reason, ...more })

const GROUP = { channel: 'C0GROUP', conversation: 'C0GROUP' }
const FILE = { filename: 'plan.txt', media_type: 'text/plain', bytes: new TextEncoder().encode('the plan') }

async function open(t: Test) {
  const platform = await startFakeSlack()
  t.teardown(async () => {
    await platform.close()
    if (platform.violations.length > 0) throw new Error(platform.violations.join(', '))
  })
  const { connection } = await openChannel(t, slack, platform)
  return {
    platform,
    download: async (reference: JSONValue) => {
      const content = await connection.download!(reference, never)
      return { ...content, text: (await buffer(content.bytes)).toString() }
    },
    send: (file: Partial<typeof FILE> & { key?: string } = {}, target: JSONValue = GROUP) =>
      connection.sendFile!(target, { ...FILE, key: 'K1', ...file }, never),
  }
}

t.test('a file whose address Slack keeps back is asked for', async (t) => {
  const { platform, download } = await open(t)
  const { id } = platform.store(FILE) as { id: string }
  t.match(await download({ id }), { text: 'the plan', filename: 'plan.txt', media_type: 'text/plain' })

  const describeNext = (file: object) => platform.refuse('files.info', { body: { ok: true, file } as never })
  describeNext({ id, mode: 'tombstone' })
  await t.rejects(download({ id }), failure('not_found', { message: /deleted file/ }))
  describeNext({ id, mode: 'external', url_private: 'https://docs.example/1' })
  await t.rejects(download({ id }), failure('not_found', { message: /another site/ }))
  describeNext({ id, file_access: 'access_denied' })
  await t.rejects(download({ id }), failure('not_found', { message: /may not read/ }))
  describeNext({})
  await t.rejects(download({ id }), failure('not_found'))
  platform.refuse('files.info', { body: { ok: false, error: 'file_deleted' } })
  await t.rejects(download({ id }), failure('not_found'))
  platform.refuse('files.info', { status: 429, retryAfter: 9, body: '' })
  await t.rejects(download({ id }), failure('rate_limited', { retry_after_ms: 9_000 }))
})

t.test('a page of Slack is never taken for the file', async (t) => {
  const { platform, download } = await open(t)
  const { id, url_private: url } = platform.store(FILE) as { id: string; url_private: string }
  const html = { 'content-type': 'text/html; charset=utf-8' }
  const refusalOf = async (status: number, headers: Record<string, string> = html) => {
    platform.fileAnswers.push({ status, headers, body: '<!DOCTYPE html><title>Slack</title>' })
    return download({ id, url }).catch((error) => error)
  }
  t.match(await refusalOf(200), { reason: 'forbidden', message: /files:read/ })
  t.match(await refusalOf(403), { reason: 'forbidden' })
  t.match(await refusalOf(404), { reason: 'not_found' })
  t.match(await refusalOf(410), { reason: 'not_found' })
  t.match(await refusalOf(503), { reason: 'unreachable' }, 'a fault is no missing scope')
  t.match(await refusalOf(429, { ...html, 'retry-after': '7' }), {
    reason: 'rate_limited',
    retry_after_ms: 7_000,
  })
  t.match(await refusalOf(418), { reason: 'unknown' })
  t.equal((await download({ id, url })).text, 'the plan')
  const page = platform.store({ ...FILE, filename: 'a.html', media_type: 'text/html' })
  t.equal(
    (await download({ id: 'F', url: page.url_private as string })).text,
    'the plan',
    'a page that is a file',
  )
})

t.test('why Slack takes no file', async (t) => {
  const { platform, send } = await open(t)
  for (const [error, reason] of [
    ['file_type_not_allowed', 'unsupported'],
    ['file_upload_size_restricted', 'unsupported'],
    ['storage_limit_reached', 'unsupported'],
    ['file_uploads_disabled', 'forbidden'],
    ['file_uploads_except_images_disabled', 'forbidden'],
    ['ekm_access_denied', 'forbidden'],
  ] as const) {
    platform.refuse('files.getUploadURLExternal', { body: { ok: false, error } })
    await t.rejects(send(), failure(reason), error)
  }
  platform.refuse('files.getUploadURLExternal', { status: 429, retryAfter: 4, body: '' })
  await t.rejects(send(), failure('rate_limited', { retry_after_ms: 4_000 }))
  platform.fileAnswers.push({ status: 413 })
  await t.rejects(send(), failure('unsupported'))
  platform.fileAnswers.push({ status: 500 })
  await t.rejects(send(), failure('unreachable'))
  platform.fileAnswers.push({ status: 429, headers: { 'retry-after': '3' } })
  await t.rejects(send(), failure('rate_limited', { retry_after_ms: 3_000 }))
  platform.refuse('files.completeUploadExternal', { body: { ok: false, error: 'not_in_channel' } })
  await t.rejects(send(), failure('forbidden'))
  await t.rejects(send({ bytes: new Uint8Array() }), failure('unsupported', { message: /empty/ }))
  t.equal(platform.shown().length, 0)
  await send({ filename: 'half \ud83d.txt' })
  t.equal(platform.shown('group').length, 1)

  platform.scopes.splice(platform.scopes.indexOf('files:write'), 1)
  await t.rejects(send({ key: 'K2' }), failure('forbidden', { message: /files:write/ }))
})

t.test('a file is sent once, also if the answer is lost', async (t) => {
  const { platform, send } = await open(t)
  platform.loseAnswer('files.completeUploadExternal')
  await t.rejects(send(), failure('unreachable'))
  await send()
  t.equal(platform.shown('group').length, 1)

  platform.refuse('files.completeUploadExternal', { status: 503, body: 'down' })
  await t.rejects(send({ key: 'K2' }), failure('unreachable'))
  await send({ key: 'K2' })
  t.equal(platform.shown('group').length, 2, 'a file that had not arrived is sent again')

  platform.scopes.splice(platform.scopes.indexOf('files:read'), 1)
  platform.refuse('files.completeUploadExternal', { status: 503, body: 'down' })
  await t.rejects(send({ key: 'K3' }), failure('unreachable'))
  await send({ key: 'K3' })
  t.equal(platform.shown('group').length, 3, 'also without the right to look')
})
