/**
 * Resolves with what `work()` gives; fails when a timer of the same host that begins with it is over
 * first. What keeps the host from its work, a busy machine, keeps it from the timer, too.
 * `session`: of a host that has the toolset `wait`.
 */
export function before(session, limit_ms, work) {
  const late = session.call('wait_for', { timer_ms: limit_ms }).then(() => {
    throw new Error(`took over ${limit_ms} ms`);
  });
  return Promise.race([work(), late]);
}
