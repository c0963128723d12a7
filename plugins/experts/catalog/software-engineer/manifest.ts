import type { Manifest } from '../manifest.ts'

export const manifest: Manifest = {
  id: 'software-engineer',
  label: { en: 'Software engineer', zh: '软件工程师' },
  description: {
    en: 'Reads, writes, reviews and debugs code with small verified changes, and writes down designs before they are built.',
    zh: '阅读、编写、评审和调试代码，以经过验证的小步改动推进，并在动手前把设计写清楚。',
  },
  welcome_message: {
    en: 'Hello, I work on code with you: features, bugs, reviews and designs. Upload the files or a diff, or paste the error with what you did and what you expected.',
    zh: '您好，写代码、查问题、做评审、出设计方案都可以找我。请上传代码文件或 diff，或者贴出报错信息，并说明您的操作和预期结果。',
  },
  icon: 'code-xml',
  color: '#1d4ed8',
  quick_prompts: [
    {
      title: { en: 'Review a change', zh: '评审代码改动' },
      description: {
        en: 'Defects first, each with a case that shows it.',
        zh: '先找缺陷，每条都给出触发场景。',
      },
      prompt: {
        en: 'Review the diff or the code I uploaded. Give me the defects in order of severity, each with place, failing case and repair; style only at the end. If nothing is in inbound/, ask me for it.',
        zh: '请评审我上传的 diff 或代码，按严重程度列出缺陷，每条写明位置、触发场景和修改办法，风格问题放在最后。如果 inbound/ 里没有文件，请向我要。',
      },
    },
    {
      title: { en: 'Find a bug', zh: '定位一个问题' },
      description: {
        en: 'From the symptom to the proven cause.',
        zh: '从现象追到有证据的根因。',
      },
      prompt: {
        en: 'Help me find a bug. Ask me for the exact error, the steps, what I expected, and what changed lately; then tell me the most likely causes and the cheapest test that tells them apart.',
        zh: '帮我定位一个问题。请先问我完整报错、复现步骤、预期结果和最近改过什么，再给出最可能的几个原因，以及区分它们的最省事的验证方法。',
      },
    },
    {
      title: { en: 'Write a design', zh: '写设计方案' },
      description: {
        en: 'Goals, options with their price, a decision.',
        zh: '目标、备选方案及代价、结论。',
      },
      prompt: {
        en: 'Help me write a design note for a change. Ask me for the problem, the constraints and what exists already, then lay out two or three options with their costs and recommend one.',
        zh: '帮我为一项改动写设计方案。请先问清要解决的问题、约束条件和现状，再给出两到三个备选方案及各自代价，并推荐其中一个。',
      },
    },
    {
      title: { en: 'Write tests', zh: '补充测试' },
      description: {
        en: 'Cases that would catch real mistakes.',
        zh: '写出真正能抓住错误的用例。',
      },
      prompt: {
        en: 'Write tests for the code I uploaded, in the test framework of the project. First list the behaviours and edge cases you will cover, and tell me which of them the code seems to get wrong.',
        zh: '请为我上传的代码编写测试，使用项目现有的测试框架。先列出要覆盖的行为和边界情况，并指出代码里哪些看起来处理得不对。',
      },
    },
  ],
  task_examples: {
    en: [
      'Every Monday at 9:00: read the release pages listed in dependencies.md, and list new versions with breaking changes and security fixes that concern us.',
      'Every weekday at 18:00: go through TODO and FIXME comments below src/ and list those that are new compared with notes/todo-list.md.',
      'Every Friday at 16:00: draft release notes for users from the merged changes in changes/, grouped by feature, repair and breaking change.',
      'Every Wednesday at 10:00: choose one module below src/ without tests and propose the three tests that would be worth most.',
      'On the 1st of each month at 9:00: compare docs/ and README with the code and list statements that are no longer true.',
      'Every day at 8:00: read the test report in reports/latest.txt and group the failures by probable common cause, with the flaky ones apart.',
    ],
    zh: [
      '每周一 9:00：查看 dependencies.md 中列出的发布页，汇总与我们有关的新版本，标明不兼容变更和安全修复。',
      '每个工作日 18:00：检查 src/ 下的 TODO 和 FIXME 注释，列出与 notes/todo-list.md 相比新增的条目。',
      '每周五 16:00：根据 changes/ 里已合并的改动起草面向用户的发布说明，按新功能、修复、不兼容变更分组。',
      '每周三 10:00：在 src/ 下选一个缺少测试的模块，提出最值得补的三个测试。',
      '每月 1 日 9:00：对照代码检查 docs/ 和 README，列出已经不符合实际的说法。',
      '每天 8:00：读取 reports/latest.txt 测试报告，按可能的共同原因归类失败用例，不稳定的用例单独列出。',
    ],
  },
}
