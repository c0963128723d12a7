import type { ErrorTable } from '#kernel'

/** The errors of knowledge bases; a row of a document shows the document's own error. */
export const knowledgeErrors = {
  KNOWLEDGE_INDEX_UNAVAILABLE: {
    status: 503,
    message: {
      en: 'The index of knowledge bases is not available on this server.',
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
  DOCUMENT_NOT_READ: {
    status: 409,
    message: { en: 'The document is still being processed.', zh: '文档尚在处理中。' },
  },
  DOCUMENT_ENCRYPTED: {
    status: 422,
    message: { en: 'The document is protected by a password.', zh: '文档受密码保护。' },
  },
  DOCUMENT_DAMAGED: {
    status: 422,
    message: {
      en: 'The document is damaged, or is not of the format that its name says.',
      zh: '文档已损坏，或其格式与文件名不符。',
    },
  },
  DOCUMENT_EMPTY: {
    status: 422,
    message: {
      en: 'The document contains no text. If it is a scan, run text recognition on it first.',
      zh: '文档中没有文字。如果是扫描件，请先进行文字识别。',
    },
  },
  DOCUMENT_TOO_LARGE: {
    status: 422,
    message: {
      en: 'The document contains too much to be read: too many pages, cells or characters, too much once unpacked, or parts nested too deeply.',
      zh: '文档内容过多，无法读取：页数、单元格或字符过多，解压后过大，或嵌套过深。',
    },
  },
  DOCUMENT_TIMEOUT: {
    status: 422,
    message: { en: 'It took too long to read the document.', zh: '读取文档超时。' },
  },
  DOCUMENT_UNSUPPORTED: {
    status: 415,
    message: { en: 'Documents like {filename} cannot be read.', zh: '无法读取此类文档：{filename}。' },
  },
  DOCUMENT_UNREACHABLE: {
    status: 422,
    message: { en: 'The address could not be fetched: {reason}.', zh: '无法获取该地址：{reason}。' },
  },
  DOCUMENT_REFUSED_BY_ROBOTS: {
    status: 422,
    message: {
      en: 'The site does not allow programs to read this address (robots.txt).',
      zh: '该网站不允许程序读取此地址（robots.txt）。',
    },
  },
  EMBEDDING_DIMENSIONS_CHANGED: {
    status: 502,
    message: {
      en: 'The embedding model returns vectors of {received} numbers, but the index has vectors of {expected}. Choose the model again in the settings of knowledge bases.',
      zh: '嵌入模型返回 {received} 维向量，而索引使用 {expected} 维向量。请在知识库设置中重新选择模型。',
    },
  },
  DOCUMENT_NOT_INDEXED: {
    status: 500,
    message: {
      en: 'The document was read, but could not be added to the index. The log of the server contains the reason.',
      zh: '文档已读取，但无法加入索引。原因见服务器日志。',
    },
  },
} satisfies ErrorTable
