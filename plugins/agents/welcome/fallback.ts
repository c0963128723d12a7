import type { Expert } from '#plugin-api'

/** The greeting of agents if no plugin provides a general assistant. */
export const fallback: Pick<Expert, 'welcome_message' | 'quick_prompts' | 'task_examples'> = {
  welcome_message: {
    en: 'Hello, what can I do for you?',
    zh: '您好，有什么可以帮您？',
  },
  quick_prompts: [
    {
      title: { en: 'What can you do?', zh: '你能做什么' },
      description: { en: 'Abilities and limits in a few lines.', zh: '几句话了解能力与限制。' },
      prompt: {
        en: 'Tell me briefly what you can do for me, which tools you have, and where your limits are.',
        zh: '请简要说明你能帮我做什么、有哪些工具可用，以及有哪些限制。',
      },
    },
    {
      title: { en: 'Work on a text', zh: '修改一段文字' },
      description: { en: 'Shorter, clearer or in another language.', zh: '精简、润色或翻译。' },
      prompt: {
        en: 'I want to improve a text. Ask me for it and for what should become of it, then show me your version and what you changed.',
        zh: '我想修改一段文字。请先让我把文字发给你，并问清要改成什么样，再给出修改稿并说明改动之处。',
      },
    },
  ],
  task_examples: {
    en: [
      'Every weekday at 9:00: read todo.md in the workspace and send me what is due today.',
      'Every Friday at 16:00: list the files that changed in the workspace this week, with one line on each.',
      'On the 1st of each month at 9:00: go through notes.md and tell me which open questions are older than a month.',
    ],
    zh: [
      '每个工作日 9:00：读取工作区里的 todo.md，告诉我今天到期的事项。',
      '每周五 16:00：列出工作区里本周有改动的文件，每个用一句话说明。',
      '每月 1 日 9:00：查看 notes.md，告诉我哪些问题搁置超过一个月仍未解决。',
    ],
  },
}
