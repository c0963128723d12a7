import type { ExplainedFailure, UpstreamReport } from '#plugin-api'

type Reason = ExplainedFailure['reason']

/** The codes of Zhipu, MiniMax and SiliconFlow. */
const BY_CODE = new Map<string, Reason>(
  Object.entries({
    1002: 'rate_limit',
    1004: 'auth',
    1008: 'quota',
    1026: 'bad_request',
    1027: 'bad_request',
    1039: 'rate_limit',
    1113: 'quota',
    1211: 'model_not_found',
    1301: 'bad_request',
    1302: 'rate_limit',
    1303: 'rate_limit',
    2013: 'bad_request',
    2049: 'auth',
    30001: 'quota',
  }),
)

/** The words of vendors and gateways, the first match wins. */
const BY_WORDS: readonly (readonly [Reason, RegExp[]])[] = [
  [
    'quota',
    [
      /\b(arrearage|accountoverdue\w*|insufficient_\w*(balance|funds|credits?|quota))\b/i,
      /insufficient (account )?(balance|funds|credits?|quota)/i,
      /balance (is |has been )?(not enough|insufficient|too low|used up|exhausted)/i,
      /(\bno|out of|not enough|requires more) credits?\b|credits? (is|are|have been) (exhausted|used up|too low|depleted)/i,
      /account .{0,20}(overdue|in arrears)/i,
      /余额不足|欠费|资源包.{0,8}(用尽|不足|已用完)|额度(已)?(不足|用尽|用完)/,
    ],
  ],
  [
    'model_not_found',
    [
      /\bmodel\b.{0,120}\b(not\sfound|not exist|is not available)|\b(no such|unknown|invalid) model\b/i,
      /model_not_(Found|exist)|unknown_model|模型不存在/i,
    ],
  ],
  [
    'auth',
    [
      /(invalid|incorrect|expired|missing) (api[ _-]?key|access token|token\b|credentials)/i,
      /api[ _-]?key (is )?(not valid|invalid|expired)|\bunauthorized\b|login fail/i,
      /鉴权失败|身份验证/,
    ],
  ],
  [
    'rate_limit',
    [
      /rate[ _-]?limit|too many requests|requests per|tokens per min/i,
      /速率限制|请求过于频繁|访问量过大|并发/,
    ],
  ],
  [
    'bad_request',
    [
      /bad[ _]?request|invalid[ _]?(request|param|argument|input)|validation[ _]?error|unprocessable/i,
      /context[ _](length|window)|maximum context|prompt is too long|too many (input )?tokens/i,
      /敏感|不合规|sensitive content/i,
    ],
  ],
]

/** The statuses that gateways use for errors of every sort. */
const VAGUE_STATUSES = [400, 422]

/**
 * Classifies an error by its words and the vendor's own codes: an account without credit answers with the status of a
 * rate limit, and an error within a stream has no status at all.
 */
export function explainError({ status, code, type, message }: UpstreamReport): ExplainedFailure | undefined {
  const words = `${code} ${type} ${message}`
  const reason =
    BY_CODE.get(code) ?? BY_WORDS.find(([, patterns]) => patterns.some((pattern) => pattern.test(words)))?.[0]
  const isVague = status === undefined || status < 400 || VAGUE_STATUSES.includes(status)
  return reason && (isVague || reason === 'quota') ? { reason } : undefined
}
