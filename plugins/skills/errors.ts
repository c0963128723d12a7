import type { ErrorTable } from '#kernel'

/** What is refused about skills and their packages. */
export const skillErrors = {
  SKILL_ARCHIVE_INVALID: {
    status: 400,
    message: { en: 'The skill cannot be taken: {reason}.', zh: '无法导入该技能：{reason}。' },
  },
  SKILL_NOT_FOUND: {
    status: 404,
    message: { en: 'There is no such skill.', zh: '找不到该技能。' },
  },
  SKILL_PACKAGE_NOT_FOUND: {
    status: 404,
    message: { en: 'There is no such skill package.', zh: '找不到该技能包。' },
  },
  SKILL_ALREADY_EXISTS: {
    status: 409,
    message: { en: 'There is a skill "{slug}" already.', zh: '技能“{slug}”已存在。' },
  },
  SKILL_PACKAGE_NAME_TAKEN: {
    status: 409,
    message: { en: 'There is a skill package named "{name}" already.', zh: '已有名为“{name}”的技能包。' },
  },
  SKILL_UNREADABLE: {
    status: 409,
    message: { en: 'A file of the skill cannot be read: {path}', zh: '无法读取技能中的文件：{path}' },
  },
  SKILLS_FOLDER_UNUSABLE: {
    status: 409,
    message: {
      en: 'The folder "skills" cannot be used, or is none.',
      zh: '“skills”文件夹不可用，或者不是文件夹。',
    },
  },
  SKILL_CONTENTS_TOO_LARGE: {
    status: 413,
    message: {
      en: 'The files of the skill have more than {max_bytes} bytes and cannot be shown in one answer.',
      zh: '该技能的文件总计超过 {max_bytes} 字节，无法在一次响应中返回。',
    },
  },
  SKILL_TOO_LARGE: {
    status: 413,
    message: {
      en: 'A skill, and all of a package, may have 2,000 files and 64 MiB; paths may be 16 names deep.',
      zh: '单个技能及整个技能包最多包含 2,000 个文件、64 MiB，路径最多 16 层。',
    },
  },
} satisfies ErrorTable
