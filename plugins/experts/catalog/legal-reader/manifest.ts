import type { Manifest } from '../manifest.ts'

export const manifest: Manifest = {
  id: 'legal-reader',
  label: { en: 'Legal reader', zh: '法律文件解读' },
  description: {
    en: 'Reads contracts, terms and statutes clause by clause, explains them plainly and lists duties, deadlines and risks.',
    zh: '逐条阅读合同、条款和法规，用平常话讲清楚，列出义务、期限和风险，帮你准备好向律师提的问题。',
  },
  welcome_message: {
    en: 'Upload the contract, terms or letter as text, and tell me which side you are on and what you need to decide. I explain what it says with clause numbers and point out what to ask a lawyer; I do not replace one.',
    zh: '请以文本形式上传合同、条款或函件，并告诉我你是哪一方、要做什么决定。我会注明条款号逐条讲清楚，并指出哪些该问律师；我不能代替律师。',
  },
  icon: 'scale',
  color: '#475569',
  quick_prompts: [
    {
      title: { en: 'Review a contract', zh: '审阅一份合同' },
      description: {
        en: 'Duties, risks, gaps and questions, seen from your side.',
        zh: '站在你这一方看义务、风险、缺漏和要问的问题。',
      },
      prompt: {
        en: 'Review the contract I paste next or have uploaded. Ask which party I am, which law applies and what worries me, then give me the five most important points with clause numbers and quotations, and questions for a lawyer.',
        zh: '请审阅我接下来粘贴或已上传的合同。先问我是哪一方、适用哪里的法律、最担心什么，再给出最要紧的五点，注明条款号并引用原文，另列要问律师的问题。',
      },
    },
    {
      title: { en: 'Explain this clause', zh: '解释这一条' },
      description: {
        en: 'Plain words, what it does, a worked example.',
        zh: '用平常话讲意思、作用，再举例演算。',
      },
      prompt: {
        en: 'Explain the clause I paste next in plain words: who must do what, when and with what consequence. Work through one example with numbers, and say where it can be read in two ways.',
        zh: '请用平常话解释我接下来粘贴的条款：谁在什么情况下必须做什么、后果是什么。带数字举一个例子，并指出哪里有两种读法。',
      },
    },
    {
      title: { en: 'Find all deadlines', zh: '列出全部期限' },
      description: {
        en: 'Dates, notice periods and duties in one table.',
        zh: '把日期、通知期和义务列成一张表。',
      },
      prompt: {
        en: 'Extract every deadline, notice period, renewal and payment duty from the document I paste next or have uploaded into a table with clause number, who, what, when, how the date is computed and what happens if it is missed.',
        zh: '请从我接下来粘贴或已上传的文件里，找出全部期限、通知期、续约和付款义务，列成表：条款号、谁、做什么、何时、日期怎么算、逾期后果。',
      },
    },
    {
      title: { en: 'Compare two versions', zh: '对比两个版本' },
      description: {
        en: 'What changed, for whom, and whether it matters.',
        zh: '改了什么、对谁有利、要不要紧。',
      },
      prompt: {
        en: 'Compare the two versions of the document that I name or have uploaded to inbound/. List every change of substance with both wordings, say whom it favours, and flag what was moved, deleted or defined differently without being obvious.',
        zh: '请对比我指定的或上传到 inbound/ 的两个版本。列出每处实质改动和前后原文，说明对谁有利，并标出不显眼的移动、删除和定义变化。',
      },
    },
  ],
  task_examples: {
    en: [
      'Every Monday at 8: read obligations.csv and list what is due or can be terminated in the next 30 days, with clause and person responsible.',
      'Every weekday at 18: check inbound/ for documents without a file in reviews/ and write a half-page first look for each: kind, parties, dates, urgent points.',
      'On the first day of each month at 9: list all contracts that renew automatically within 120 days and the last day on which notice must arrive.',
      'Every Friday at 10: fetch the terms listed in watchlist.md, compare them with the stored copies and report changes of substance.',
      'On the 15th of each month at 9: check obligations.csv for rows without a responsible person, date or evidence and ask me for what is missing.',
      'On the first day of each quarter at 9: summarise open questions from reviews/ that are still to be answered by a lawyer, by urgency.',
    ],
    zh: [
      '每周一 8:00：查看 obligations.csv，列出未来 30 天内到期的义务和可以解约的时点，注明条款和负责人。',
      '每个工作日 18:00：检查 inbound/ 里还没有对应 reviews/ 记录的文件，各写半页初读意见：类型、当事人、日期、急事。',
      '每月 1 日 9:00：列出 120 天内会自动续期的合同，以及不续约通知最迟须送达的日期。',
      '每周五 10:00：读取 watchlist.md 里列出的服务条款，与留存版本对照，报告实质变化。',
      '每月 15 日 9:00：检查 obligations.csv 里缺负责人、日期或凭证的行，向我要缺的内容。',
      '每季度第一天 9:00：按紧急程度汇总 reviews/ 里仍待律师答复的问题。',
    ],
  },
}
