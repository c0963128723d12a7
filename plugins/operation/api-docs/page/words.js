const KEY = 'svc-docs-language'

/** The Chinese words of the page by the English ones: first the words of Swagger UI, then our own. */
const CHINESE = {
  Authorize: '授权',
  'Available authorizations': '可用的授权方式',
  Authorized: '已授权',
  'Value:': '值：',
  Logout: '退出',
  Close: '关闭',
  Servers: '服务器',
  Parameters: '参数',
  'No parameters': '无参数',
  'Try it out': '试一试',
  Cancel: '取消',
  Execute: '发送',
  Clear: '清除',
  Reset: '重置',
  Name: '名称',
  Description: '说明',
  Code: '状态码',
  Links: '链接',
  'No links': '无链接',
  Details: '详情',
  Responses: '响应',
  'Server response': '服务器的响应',
  'Response body': '响应体',
  'Response headers': '响应头',
  'Request body': '请求体',
  'Request URL': '请求地址',
  'Media type': '媒体类型',
  'Example Value': '示例',
  Example: '示例',
  Examples: '示例',
  Schema: '结构',
  Schemas: '数据结构',
  'Edit Value': '编辑',
  'Send empty value': '发送空值',
  'Default value': '默认值',
  'Expand all': '全部展开',
  'Collapse all': '全部收起',
  Download: '下载',
  required: '必填',
  'Sign in': '登录',
  'Sign out': '退出登录',
  Username: '用户名',
  Password: '密码',
  'Code of the authenticator app': '身份验证器应用的验证码',
  Search: '搜索',
  'Search (press /)': '搜索（按 /）',
  'WebSockets and event streams': 'WebSocket 与事件流',
  'The server receives': '服务器接收',
  'The server sends': '服务器发送',
}

/** The language of the page's own words: the reader's choice, or that of the browser. */
export const language =
  localStorage.getItem(KEY) ??
  (navigator.languages.find((tag) => /^(en|zh)/.test(tag))?.startsWith('zh') ? 'zh' : 'en')

/** Returns a word of the page in its language. */
export const say = (word) => (language === 'zh' ? (CHINESE[word] ?? word) : word)

/** Shows the page in the other language. */
export function switchLanguage() {
  localStorage.setItem(KEY, language === 'en' ? 'zh' : 'en')
  location.reload()
}

/** Translates the words of Swagger UI, which has no languages, whenever it shows some below an element. */
export function translate(root) {
  if (language === 'en') return
  const translateText = (node) => {
    const word = CHINESE[node.data.trim()]
    if (word && !node.parentElement?.closest('pre, textarea, .renderedMarkdown')) node.data = word
  }
  const translateBelow = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return translateText(node)
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) translateText(walker.currentNode)
  }
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes)
      for (const node of type === 'characterData' ? [target] : addedNodes) translateBelow(node)
  }).observe(root, { childList: true, characterData: true, subtree: true })
}
