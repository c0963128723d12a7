import type { ErrorTable } from '#plugin-api'

/** The errors of second factors and passkeys. */
export const twoFactorErrors = {
  TOTP_INVALID: {
    status: 400,
    message: {
      en: 'The code is invalid or was already used. Wait for the next code and check the clock of your device.',
      zh: '验证码无效或已被使用。请等待下一个验证码，并检查设备的时间是否准确。',
    },
  },
  TOTP_NOT_BEGUN: {
    status: 409,
    message: {
      en: 'The setup of the authenticator app has expired. Start again.',
      zh: '身份验证器应用的设置已过期，请重新开始。',
    },
  },
  TOTP_ALREADY_ON: {
    status: 409,
    message: {
      en: 'An authenticator app is already set up. To replace it, send one of its codes or a recovery code.',
      zh: '已设置身份验证器应用。如需更换，请提供其验证码或一个恢复码。',
    },
  },
  TOTP_OFF: {
    status: 409,
    message: { en: 'No authenticator app is set up.', zh: '尚未设置身份验证器应用。' },
  },
  TOTP_ENFORCED: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'This server requires two-factor sign-in for your account. Replace the app instead of removing it.',
      zh: '此服务器要求您的账号启用两步验证。请更换应用，而不是移除。',
    },
  },
  RECENT_SIGN_IN_REQUIRED: {
    status: 403,
    message: {
      en: 'You signed in a while ago. Send your password, or sign in again.',
      zh: '距离上次登录已有一段时间。请提供密码，或重新登录。',
    },
  },
  PASSWORD_WRONG: {
    status: 400,
    message: { en: 'The password is wrong.', zh: '密码错误。' },
  },
  PASSKEY_UNAVAILABLE: {
    status: 400,
    message: {
      en: 'Passkeys need an https:// address with a domain name, or http://localhost. Open the server at such an address.',
      zh: '通行密钥要求使用以 https:// 开头的域名地址，或 http://localhost。请通过这样的地址访问服务器。',
    },
  },
  PASSKEY_CHALLENGE_EXPIRED: {
    status: 400,
    message: {
      en: 'The request timed out or was already sent. Try again.',
      zh: '操作已超时或已提交过，请重试。',
    },
  },
  PASSKEY_INVALID: {
    status: 400,
    message: {
      en: 'The passkey could not be verified. Create it on this page, and confirm it with a PIN, your face or your fingerprint.',
      zh: '无法验证该通行密钥。请在此页面创建，并用 PIN、面容或指纹确认。',
    },
  },
  PASSKEY_REFUSED: {
    status: 401,
    code: 'PASSKEY_INVALID',
    message: {
      en: 'This passkey is unknown or could not be verified. Use another passkey or your password.',
      zh: '此通行密钥未在此登记，或无法验证。请使用其他通行密钥或密码。',
    },
  },
  PASSKEY_EXISTS: {
    status: 409,
    message: { en: 'This passkey is already registered.', zh: '该通行密钥已登记。' },
  },
  SELF_RESET: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'Turn off your own two-factor sign-in on your account page, with a code.',
      zh: '请在您的账号页面用验证码关闭自己的两步验证。',
    },
  },
} satisfies ErrorTable
