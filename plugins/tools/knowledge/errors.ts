import type { ErrorTable } from '#plugin-api'

/** The errors of knowledge bases; a row of a document shows the document's own error. */
export const knowledgeErrors = {
  KNOWLEDGE_INDEX_UNAVAILABLE: {
    status: 503,
    message: {
      en: 'The knowledge base index is not available on this server.',
      zh: '此服务器上的知识库索引不可用。',
    },
  },
  KNOWLEDGE_NOT_INSTALLED: {
    status: 503,
    level: 'warn',
    message: {
      en: 'Knowledge bases need the package {name}, which is not installed on this server. An administrator can add it with "npm install --include=optional".',
      zh: '知识库需要软件包 {name}，但此服务器尚未安装。管理员可通过“npm install --include=optional”安装。',
    },
  },
  KNOWLEDGE_INDEX_INCOMPLETE: {
    status: 503,
    level: 'warn',
    message: {
      en: 'The knowledge base index is being rebuilt ({searchable} of {documents} documents are ready), and nothing was found yet. Try again later.',
      zh: '正在重建知识库索引，目前没有找到结果：共 {documents} 个文档，已可检索 {searchable} 个。请稍后重试。',
    },
  },
  DOCUMENT_NOT_READ: {
    status: 409,
    message: { en: 'The document is still being processed.', zh: '文档尚在处理中。' },
  },
  DOCUMENT_UNSUPPORTED: {
    status: 415,
    message: {
      en: '{filename} ({kind}) cannot be read. Save it as {format} or {alternative}.',
      zh: '无法读取 {filename}（{kind}）。请将其另存为 {format} 或 {alternative}。',
    },
  },
  DOCUMENT_UNREACHABLE: {
    status: 422,
    message: { en: 'The URL could not be fetched: {reason}.', zh: '无法获取该网址：{reason}。' },
  },
  DOCUMENT_REFUSED_BY_ROBOTS: {
    status: 422,
    message: {
      en: 'The site does not allow programs to read this URL (robots.txt).',
      zh: '该网站不允许程序读取此网址（robots.txt）。',
    },
  },
  EMBEDDING_DIMENSIONS_CHANGED: {
    status: 502,
    message: {
      en: 'The embedding model returns vectors of {received} numbers, but the index has vectors of {expected}. Choose the model again in the search settings.',
      zh: '嵌入模型返回 {received} 维向量，而索引使用 {expected} 维向量。请在检索设置中重新选择模型。',
    },
  },
  DOCUMENT_NOT_INDEXED: {
    status: 500,
    message: {
      en: 'The document was read but could not be added to the index. See the server log.',
      zh: '文档已读取，但无法加入索引。详情见服务器日志。',
    },
  },
} satisfies ErrorTable
