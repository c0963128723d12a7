import type { ErrorTable } from '#plugin-api'

/** The errors of the account store. */
export const userErrors = {
  USERNAME_TAKEN: {
    status: 409,
    message: { en: 'This username is already taken.', zh: '该用户名已被占用。' },
  },
  LAST_ADMINISTRATOR: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'This is the last enabled administrator. Make another account an administrator first.',
      zh: '这是最后一个已启用的管理员，请先设置另一名管理员。',
    },
  },
  IDENTITY_TAKEN: {
    status: 409,
    message: {
      en: 'This identity belongs to another account.',
      zh: '该身份已关联到其他账号。',
    },
  },
  IDENTITY_ALREADY_LINKED: {
    status: 409,
    message: {
      en: 'The account already has an identity of this kind. Unlink it first.',
      zh: '该账号已关联此类身份，请先解除关联。',
    },
  },
  LAST_SIGN_IN: {
    status: 409,
    message: {
      en: 'This is the last way to sign in to the account. Set a password or link another identity first.',
      zh: '这是登录该账号的最后一种方式，请先设置密码或关联其他身份。',
    },
  },
  PASSWORD_TOO_WEAK: {
    status: 400,
    message: {
      en: 'The password must have 8 to 200 characters with a letter and a digit, and must not be a common one.',
      zh: '密码长度须为 8 至 200 个字符，同时包含字母和数字，且不能是常见密码。',
    },
  },
  PASSWORD_CHECKS_BUSY: {
    status: 503,
    level: 'warn',
    message: {
      en: 'Too many people are signing in right now. Try again in a moment.',
      zh: '当前登录人数过多，请稍后重试。',
    },
  },
  SHARING_LIMITED: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'On this server you can share only with the members of your own groups, and with these groups.',
      zh: '在此服务器上，只能与您所在的群组及其成员共享。',
    },
  },
  SHARING_OFF: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'On this server only administrators can share.',
      zh: '在此服务器上，只有管理员可以共享。',
    },
  },
} satisfies ErrorTable
