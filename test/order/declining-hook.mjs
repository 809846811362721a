/** Whether a link is followed stands on its page, so that the truth can know it too. */
export default {
  link: ({ rel }) => (rel === 'declined' ? { skip: 'declined' } : undefined),
};
