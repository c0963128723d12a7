import type { Adaptation, UpstreamReport } from '#plugin-api'

/** Words of a refusal that is about one setting of a request. */
const REFUSAL =
  /unsupported|not (currently )?support|does ?n.?t support|unknown|unrecognized|unexpected|not permitted|not allowed|not accepted|extra (inputs|fields)|extra_forbidden|additional propert|invalid|unavailable|incompatible|must (be|not)|only|cannot|can't|不支持|无效|非法/i

/** Statuses of which another request makes nothing better. */
const FINAL_STATUSES = [401, 402, 403, 404, 408, 429]

/** Creates the test of a refusal that names a setting. */
const refuses =
  (setting: RegExp, except?: RegExp) =>
  ({ status, message, code, type }: UpstreamReport): boolean => {
    if (status !== undefined && (FINAL_STATUSES.includes(status) || status > 500)) return false
    const words = `${message} ${code} ${type}`
    return setting.test(words) && REFUSAL.test(words) && !except?.test(words)
  }

/** The words of DeepSeek and Kimi for a call that came back without its thoughts. */
const MUST_RETURN_THOUGHTS =
  /reasoning_content.{0,60}(missing|must be (passed|provided|sent)|required)|missing .{0,3}reasoning_content/i

const LIMIT = /\bmax_(completion_|output_)?tokens\b/i

/** The changes that the upstreams of this kind may need; `options.adaptations` of a call has their names. */
export const adaptations = {
  no_stream_options: {
    label: { en: 'No usage in streams', zh: '不在流中请求用量' },
    isNeeded: refuses(/stream_options|include_usage/i),
  },
  max_completion_tokens: {
    label: { en: 'Limit as max_completion_tokens', zh: '以 max_completion_tokens 限制长度' },
    isNeeded: refuses(/max_tokens.*max_completion_tokens/is, /too large|context length/i),
  },
  no_max_tokens: {
    label: { en: 'No answer limit', zh: '不发送回答长度上限' },
    isNeeded: ({ message, ...report }: UpstreamReport) =>
      LIMIT.test(message) &&
      (/too (large|high|big)|less than|at most|exceeds?|greater than|out of range|range of|不能大于|超过/i.test(
        message,
      ) ||
        refuses(LIMIT, /max_tokens.*max_completion_tokens/is)({ message, ...report })) &&
      report.status !== 429,
  },
  no_sampling: {
    label: { en: 'No temperature or other sampling settings', zh: '不发送温度等采样参数' },
    isNeeded: refuses(/temperature|\btop_?p\b|frequency_?penalty|presence_?penalty|\bseed\b/i),
  },
  no_stop: {
    label: { en: 'No stop sequences', zh: '不发送停止序列' },
    isNeeded: refuses(/\b(parameter|argument|field|property)?\W*stop(_sequences)?\b(?! (sequence )?token)/i),
  },
  no_reasoning_effort: {
    label: { en: 'No reasoning effort', zh: '不发送思考强度' },
    isNeeded: refuses(/reasoning[_ ]?effort|not support (thinking|reasoning)\b/i),
  },
  no_reasoning_content: {
    label: { en: 'Reasoning not sent back', zh: '不回传思考内容' },
    isNeeded: refuses(
      /\breasoning_(content|details)\b|\W(reasoning|thinking_blocks)\b['"`]/i,
      MUST_RETURN_THOUGHTS,
    ),
  },
  empty_reasoning_content: {
    label: { en: 'Reasoning sent back with every tool call', zh: '每次工具调用都回传思考内容' },
    isNeeded: ({ status, message }: UpstreamReport) => status !== 429 && MUST_RETURN_THOUGHTS.test(message),
  },
  no_json_schema: {
    label: { en: 'JSON format described in the prompt', zh: '通过提示词描述 JSON 格式' },
    isNeeded: refuses(/response_?format|json_?schema|structured.?outputs?/i, /must be.{0,20}json_schema/i),
  },
  no_response_format: {
    label: { en: 'JSON requested in the prompt', zh: '仅通过提示词要求 JSON' },
    isNeeded: refuses(/json_?object|json.?mode|must be.{0,20}json_schema/i),
  },
  no_tool_choice: {
    label: { en: 'Tool choice left to the model', zh: '由模型自行选择工具' },
    isNeeded: refuses(/tool_?choice/i, /tool-call-parser/i),
  },
  answer_after_results: {
    label: { en: 'Answer added after tool results', zh: '在工具结果之后补充一条回答' },
    isNeeded: ({ status, message }: UpstreamReport) =>
      status !== 429 && /unexpected role\W{1,3}user\W{1,3}after role\W{1,3}tool/i.test(message),
  },
  short_call_ids: {
    label: { en: 'Short tool call IDs', zh: '发送较短的工具调用 ID' },
    isNeeded: ({ status, message }: UpstreamReport) =>
      status !== 429 &&
      /tool[_ ]?(call|use)s?\S*[_. ]id|tool_calls\[?\S*\]?\.id/i.test(message) &&
      /length|too long|maximum|pattern|must be a-z/i.test(message),
  },
} satisfies Record<string, Adaptation>

/** The name of one of these changes. */
export type AdaptationName = keyof typeof adaptations
