import type { ErrorTable } from '#plugin-api'

/** The errors of signing in and of using a token. */
export const authErrors = {
  AUTH_FAILED: {
    status: 401,
    message: {
      en: 'The username, password or token is not valid.',
      zh: '用户名、密码或令牌无效。',
    },
  },
  TOKEN_EXPIRED: {
    status: 401,
    message: {
      en: 'The session or API key has expired. Sign in again, or use another key.',
      zh: '登录或 API 密钥已过期，请重新登录或更换密钥。',
    },
  },
  SESSION_ENDED: {
    status: 401,
    message: {
      en: 'The session or API key of this connection is no longer valid. Sign in again.',
      zh: '此连接所用的登录或 API 密钥已失效，请重新登录。',
    },
  },
  REFRESH_CROSS_SITE: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'Only a page of this server can do this, with the header X-Requested-With.',
      zh: '只有本服务器的页面可以执行此操作，且须带有 X-Requested-With 请求头。',
    },
  },
  SCOPE_MISSING: {
    status: 403,
    code: 'FORBIDDEN',
    message: { en: 'This API key lacks the scope "{scope}".', zh: '该 API 密钥缺少权限范围“{scope}”。' },
  },
  SESSION_REQUIRED: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'An API key cannot do this. Sign in instead.',
      zh: 'API 密钥不能执行此操作，请登录后操作。',
    },
  },
  SECOND_FACTOR_MISSING: {
    status: 401,
    code: 'TOTP_REQUIRED',
    message: {
      en: 'Enter the code of your authenticator app, or a recovery code.',
      zh: '请输入身份验证器应用中的验证码，或使用一个恢复码。',
    },
  },
  SECOND_FACTOR_WRONG: {
    status: 401,
    code: 'TOTP_INVALID',
    message: {
      en: 'The code is invalid or was already used. Wait for the next code and check the clock of your device.',
      zh: '验证码无效或已被使用。请等待下一个验证码，并检查设备的时间是否准确。',
    },
  },
  SIGN_IN_INCOMPLETE: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'This sign-in is not complete: set up or confirm two-factor sign-in in the console first.',
      zh: '登录尚未完成：请先在控制台设置或完成两步验证。',
    },
  },
  USER_DISABLED: {
    status: 403,
    message: { en: 'This account is disabled.', zh: '该账号已被停用。' },
  },
  PASSWORD_CHANGE_REQUIRED: {
    status: 403,
    message: { en: 'Change your password first.', zh: '请先修改密码。' },
  },
  PASSWORD_SAME_AS_OLD: {
    status: 400,
    message: { en: 'The new password is the same as the current one.', zh: '新密码不能与当前密码相同。' },
  },
  LOGIN_LOCKED: {
    status: 429,
    message: {
      en: 'This account is locked after too many failed attempts. Try again in {minutes} min; an account manager can unlock it earlier.',
      zh: '登录失败次数过多，该账号已被锁定，将在 {minutes} 分钟后解锁；成员管理员可以提前解锁。',
    },
  },
  SIGN_INS_LIMITED: {
    status: 429,
    code: 'RATE_LIMITED',
    message: {
      en: 'Too many failed sign-ins from your network. Try again in {minutes} min.',
      zh: '您所在网络的登录失败次数过多，请在 {minutes} 分钟后重试。',
    },
  },
  LOGIN_BUSY: {
    status: 503,
    level: 'warn',
    message: {
      en: 'Too many sign-ins are in progress. Try again in a moment.',
      zh: '等待登录的请求过多，请稍后重试。',
    },
  },
} satisfies ErrorTable
