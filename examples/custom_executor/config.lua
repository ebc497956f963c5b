return {
  executor = 'nice',
  executors = { nice = { niceness = 15 }, kubectl = { image = 'busybox' } },
}
