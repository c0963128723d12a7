import type { ErrorTable } from '#kernel'

/** The errors of creating and redeeming invites. */
export const inviteErrors = {
  INVITE_INVALID: {
    status: 400,
    message: { en: 'No invite has this code.', zh: '邀请码无效。' },
  },
  INVITE_NOT_PENDING: {
    status: 409,
    code: 'INVITE_INVALID',
    message: { en: 'Only a pending invite can be revoked.', zh: '只能撤销待使用的邀请。' },
  },
  INVITE_USED: {
    status: 409,
    message: { en: 'This invite has been used.', zh: '该邀请已被使用。' },
  },
  INVITE_EXPIRED: {
    status: 410,
    message: { en: 'This invite has expired. Ask for a new one.', zh: '该邀请已过期，请索取新的邀请。' },
  },
  INVITE_REVOKED: {
    status: 410,
    message: { en: 'This invite has been revoked.', zh: '该邀请已被撤销。' },
  },
} satisfies ErrorTable
