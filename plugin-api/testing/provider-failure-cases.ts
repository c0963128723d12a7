import assert from 'node:assert/strict'
import { explainFailure } from '../../plugins/models/providers/explained-failure.ts'
import type { Refusal, VendorReply } from './fake-vendor.ts'
import { callModel, failureOf, readParts, wordsOf } from './model-calls.ts'
import { hello, type ProviderBench } from './provider-bench.ts'
import type { AddTest } from './test-function.ts'
import { eventually } from './waiting.ts'

/** Adds the cases of calls that fail: refusals, broken answers, aborts and a vendor that cannot be reached. */
export async function addFailureCases(
  { subject: { kind }, connect, start, call }: ProviderBench,
  add: AddTest,
): Promise<void> {
  const refusals: Refusal[] = ['auth', 'quota', 'rate_limit', 'outage', 'model_not_found', 'bad_request']
  for (const refusal of refusals)
    await add(`a refusal for ${refusal} is understood before an answer`, async () => {
      const { fake, model } = await start()
      fake.queue({ refusal, ...(refusal === 'rate_limit' && { retryAfter: 7 }) })
      const failure = await failureOf(callModel(model, hello), kind)
      assert.equal(
        failure.reason,
        refusal,
        `a refusal for ${refusal} is read as ${failure.reason}: let explainError of the kind return { reason: '${refusal}' }`,
      )
      assert.equal(typeof failure.status, 'number')
      if (refusal === 'rate_limit') assert.equal(failure.retry_after_ms, 7000)
    })

  await add('a wrong key and a missing one are refused by the vendor', async () => {
    const { fake } = await start()
    for (const wrong of ['wrong-key-0123456789', undefined])
      assert.equal(
        (await failureOf(call(connect(fake.url, { api_key: wrong })), kind)).reason,
        'auth',
        `${wrong ? 'a wrong key' : 'a call without a key'} must fail for auth: see explainError, and throw no error of your own`,
      )
  })

  await add('an answer that breaks in the middle fails after what came before', async () => {
    const { fake, model } = await start()
    for (const refusal of [undefined, 'outage'] as const) {
      fake.queue({ text: ['Half', ' an', ' answer'], breakAfter: 2, refusal })
      const { parts, error } = await readParts(model, hello)
      assert.equal(wordsOf(parts).join(''), 'Half an')
      const { reason } = explainFailure(error, kind)
      assert.ok(['outage', 'unreachable'].includes(reason), `${refusal ?? 'cut'}: ${reason}`)
    }
  })

  await add('an abort ends the call before its answer and within it', async () => {
    const { fake, model } = await start()
    for (const [n, reply] of ([{ hold: new Promise(() => {}) }, {}] as VendorReply[]).entries()) {
      const abort = new AbortController()
      // The reader's own abort keeps everything after the first word from arriving.
      fake.queue({ text: Array.from({ length: 2000 }, () => ' word'.repeat(50)), ...reply })
      const reading = readParts(model, { ...hello, abortSignal: abort.signal }, ({ type }) => {
        if (type === 'text-delta') abort.abort()
      })
      const { gone: aborted } = await eventually('the vendor is called', () => fake.requests[n])
      if (reply.hold) abort.abort()
      assert.ok((await reading).error)
      await eventually('the vendor sees the client leave', () => aborted.aborted)
    }
  })

  await add('an address without a listener is unreachable', async () => {
    const { fake, model } = await start()
    await fake.close()
    assert.equal((await failureOf(callModel(model, hello), kind)).reason, 'unreachable')
  })
}
