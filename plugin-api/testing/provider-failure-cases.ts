import assert from 'node:assert/strict'
import { explainFailure } from '../../plugins/models/providers/explained-failure.ts'
import { assertSame } from './assert-part.ts'
import type { Refusal, VendorReply } from './fake-vendor.ts'
import { callModel, errorOf, readParts, wordsOf } from './model-calls.ts'
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
    await add(
      `a refusal for ${refusal} is understood before an answer`,
      async () => {
        const { fake, model } = await start()
        fake.queue({ refusal, ...(refusal === 'rate_limit' && { retryAfter: 7 }) })
        const error = await errorOf(callModel(model, hello))
        const failure = explainFailure(error, kind)
        assertSame(failure.reason, refusal, `the reason of ${describe(error)}`)
        assertSame(typeof failure.status, 'number', 'the type of the status of the failure')
        if (refusal === 'rate_limit')
          assertSame(failure.retry_after_ms, 7000, 'retry_after_ms for the header retry-after: 7')
      },
      `Let explainError(report) of the kind return { reason: '${refusal}', status: report.status } for it, by the status, the code and the message in the report.`,
    )

  await add(
    'a refusal of a prompt that is too long is distinguished from others',
    async () => {
      const { fake, model } = await start()
      for (const refusal of ['context_too_long', 'bad_request'] as const) {
        fake.queue({ refusal })
        const error = await errorOf(callModel(model, hello))
        const { reason, is_too_long = false } = explainFailure(error, kind)
        assertSame(reason, 'bad_request', `the reason of ${describe(error)}`)
        assertSame(is_too_long, refusal === 'context_too_long', `is_too_long for ${describe(error)}`)
      }
    },
    "Let the fake refuse with the vendor's own words for the refusal context_too_long. Common words are known; for others, let explainError return { reason: 'bad_request', is_too_long: true }.",
  )

  await add(
    'a wrong key and a missing one are refused by the vendor',
    async () => {
      const { fake } = await start()
      for (const wrong of ['wrong-key-0123456789', undefined]) {
        const error = await errorOf(call(connect(fake.url, { api_key: wrong })))
        assertSame(
          explainFailure(error, kind).reason,
          'auth',
          `the reason of ${describe(error)}, for ${wrong ? 'a wrong key' : 'a missing key (api_key: undefined)'}`,
        )
      }
    },
    "The vendor must refuse both: if the client library throws for a missing key itself, hand it an empty one (apiKey: api_key ?? ''), or let explainError return { reason: 'auth' } for its error.",
  )

  await add(
    'an answer that breaks in the middle fails after what came before',
    async () => {
      const { fake, model } = await start()
      for (const refusal of [undefined, 'outage'] as const) {
        fake.queue({ text: ['Half', ' an', ' answer'], breakAfter: 2, refusal })
        const { parts, error } = await readParts(model, hello)
        assertSame(wordsOf(parts).join(''), 'Half an', 'the text before the break')
        const { reason } = explainFailure(error, kind)
        assert.ok(
          ['outage', 'unreachable'].includes(reason),
          `the reason of ${describe(error)}: expected outage or unreachable, but it is ${reason}`,
        )
      }
    },
    "Let the stream end with a part of type error, or throw, if the connection breaks or the vendor reports an error within it, and let explainError return { reason: 'outage' } for that error.",
  )

  await add(
    'an abort ends the call before its answer and within it',
    async () => {
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
        assert.ok(
          (await reading).error,
          'the call must fail when it is aborted, but it ended without an error',
        )
        await eventually('the vendor sees the client leave', () => aborted.aborted)
      }
    },
    'Pass options.abortSignal of doStream on to fetch.',
  )

  await add(
    'an address without a listener is unreachable',
    async () => {
      const { fake, model } = await start()
      await fake.close()
      const error = await errorOf(callModel(model, hello))
      assertSame(explainFailure(error, kind).reason, 'unreachable', `the reason of ${describe(error)}`)
    },
    "Throw what fetch throws, or an error with it as cause; explainError must return nothing or { reason: 'unreachable' } for it.",
  )
}

/** Writes an error as a sentence names it. */
const describe = (error: unknown) =>
  `the error "${error instanceof Error ? `${error.name}: ${error.message}` : error}"`
