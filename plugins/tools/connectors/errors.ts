import type { ErrorTable } from '#plugin-api'

const signInFailed = { status: 502, code: 'CONNECTOR_SIGN_IN_FAILED', level: 'warn' } as const

/** The errors of connectors. */
export const connectorErrors = {
  CONNECTOR_KIND_UNSUPPORTED: {
    status: 400,
    message: {
      en: 'The connector kind “{kind}” is disabled or not installed on this server.',
      zh: '此服务器未安装或已停用连接器类型“{kind}”。',
    },
  },
  CONNECTOR_SIGN_IN_UNAVAILABLE: {
    status: 409,
    message: {
      en: 'This connector cannot be signed in to: the server needs http.public_url, and the connector needs an address.',
      zh: '无法登录此连接器：服务器需要设置 http.public_url，且连接器必须有地址。',
    },
  },
  CONNECTOR_SIGN_IN_FAILED: {
    ...signInFailed,
    message: {
      en: 'The sign-in could not start. Check the connector settings.',
      zh: '无法开始登录，请检查连接器的设置。',
    },
  },
  CONNECTOR_SIGN_IN_UNREACHABLE: {
    ...signInFailed,
    message: {
      en: 'The sign-in service does not respond, or its address is not allowed. Try again later.',
      zh: '登录服务没有响应，或其地址不被允许。请稍后再试。',
    },
  },
  CONNECTOR_SIGN_IN_METADATA: {
    ...signInFailed,
    message: {
      en: 'The server offers no usable sign-in. Check the address of the connector, or enter a key in its headers.',
      zh: '该服务器没有可用的登录方式。请检查连接器的地址，或在请求头中填写密钥。',
    },
  },
  CONNECTOR_SIGN_IN_REGISTRATION: {
    ...signInFailed,
    message: {
      en: 'The service does not register this server as a client. Register a client there and enter its client ID in the connector settings.',
      zh: '该服务未将本服务器注册为客户端。请在该服务中注册客户端，并在连接器设置中填写其客户端 ID。',
    },
  },
  CONNECTOR_MOVED: {
    status: 409,
    message: {
      en: 'The connector now points to {origin}. Nothing was saved.',
      zh: '该连接器现已指向 {origin}，未保存任何内容。',
    },
  },
  CONNECTOR_NAME_TAKEN: {
    status: 409,
    message: {
      en: 'A connector named “{name}” already exists.',
      zh: '已有名为“{name}”的连接器。',
    },
  },
} satisfies ErrorTable
