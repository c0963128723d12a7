import type { ErrorTable } from '#plugin-api'

/** The errors of web search. */
export const searchErrors = {
  SEARCH_ENGINE_UNSUPPORTED: {
    status: 400,
    message: {
      en: 'The search engine “{kind}” is disabled or not installed on this server.',
      zh: '此服务器未安装或已停用搜索引擎“{kind}”。',
    },
  },
  WEB_SEARCH_NOT_SET: {
    status: 409,
    message: {
      en: 'No such search engine is set. Add one to the settings of web search.',
      zh: '尚未设置该搜索引擎，请在联网搜索的设置中添加。',
    },
  },
  WEB_SEARCH_FAILED: {
    status: 502,
    level: 'warn',
    message: { en: 'The search failed. {guidance}', zh: '搜索失败。{guidance}' },
  },
  WEB_SEARCH_LIMITED: {
    status: 429,
    message: {
      en: 'The {limit} web searches of this account for today are used up. The count begins anew at {resets_on}.',
      zh: '此账户今天的 {limit} 次联网搜索已用完，将于 {resets_on} 重新计数。',
    },
  },
} as const satisfies ErrorTable
