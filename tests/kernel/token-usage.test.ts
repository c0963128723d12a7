import { addUsage, NO_USAGE, usageOf } from '../../plugin-api/token-usage.ts'
import t from '../run/file-test.ts'

const spent = (input: object, output: object) =>
  usageOf({ inputTokens: input, outputTokens: output } as Parameters<typeof usageOf>[0])

t.test('token usage is read from the report of the upstream and added up', (t) => {
  t.strictSame(spent({ total: undefined }, { total: undefined }), NO_USAGE)
  const whole = spent({ total: 10, cacheRead: 4 }, { total: 5, reasoning: 2 })
  t.strictSame(whole, {
    input_tokens: 10,
    output_tokens: 5,
    total_tokens: 15,
    cached_input_tokens: 4,
    reasoning_tokens: 2,
  })
  t.strictSame(addUsage(addUsage(NO_USAGE, spent({ total: 1 }, { total: 1 })), whole), {
    input_tokens: 11,
    output_tokens: 6,
    total_tokens: 17,
    cached_input_tokens: 4,
    reasoning_tokens: 2,
  })
  t.end()
})
