//! One plan being carried out on threads of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use contract::{Dataset, ErrorClass, Purpose, Statement, Workload};
use engine::{Commands, Options, RunError};
use loader::{LoadError, LoadOptions};
use serde_json::{Value, json};

use crate::dataset_plan::DatasetAction;
use crate::event::{self, ErrorKind, RunEvents};
use crate::plan::Plan;
use crate::plan_error::PlanError;
use crate::target::{Target, TargetOptions, with_driver};
use crate::workload::{AnyWorkload, with_workload};

/// What a job has to say.
#[derive(Debug, PartialEq)]
pub enum Poll {
    /// Events, one JSON object each; none at the time-out.
    Events(Vec<String>),
    /// There will be no more.
    Over,
}

/// A plan that is being carried out. Dropping it ends it.
pub struct Job {
    events: Receiver<String>,
    remote: Remote,
}

/// Tells a job something, whoever waits for its events.
#[derive(Clone)]
pub struct Remote(Commands);

impl Remote {
    /// Ends early: a trial says "interrupted" at its end.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
    }

    /// Says when a load begins whose plan waits for that, in nanoseconds of this machine's monotonic
    /// clock. One that has begun, or does not wait, goes on as it is.
    pub fn start_at(&self, time_ns: u64) {
        if let Some(start_at) = &self.0.start_at {
            start_at.store(time_ns.max(1), Ordering::Release);
        }
    }

    /// Says with which interval of the warm-up the window is to begin, of a trial whose warm-up may
    /// end early. An event tells what came of it.
    pub fn begin_window_at(&self, index: i64) {
        self.0.window_at.store(index, Ordering::Release);
    }
}

/// A plan with everything looked up, ready for a thread.
#[expect(clippy::large_enum_variant, reason = "there is one, and it is moved once")]
enum Task {
    Trial {
        target: Target,
        workload: AnyWorkload,
        options: Options,
        generator_index: Option<u64>,
        starts_when_told: bool,
    },
    Dataset {
        target: Target,
        dataset: Box<dyn Dataset>,
        options: LoadOptions,
        asked: Asked,
    },
}

/// What is done with a dataset.
struct Asked {
    action: DatasetAction,
    /// Those that use it, where they are to be prepared.
    statements: Vec<Statement>,
    /// Whether the trial sends them as text.
    sends_text: bool,
}

impl Job {
    /// Reads a plan and starts its threads; what is wrong with the plan is found before.
    pub fn start(plan_json: &str, password: Option<&str>) -> Result<Self, PlanError> {
        let task = prepare(plan_json, password)?;
        let (sender, events) = channel();
        let start_at = task.starts_when_told().then(Arc::<AtomicU64>::default);
        let commands = Commands { start_at, ..Commands::default() };
        let remote = Remote(commands.clone());
        std::thread::spawn(move || {
            let panicking = SayPanicked(sender.clone());
            carry_out(task, &commands, &sender);
            drop(panicking);
        });
        Ok(Self { events, remote })
    }

    /// Waits for events, at most for so long.
    pub fn poll(&self, timeout: Duration) -> Poll {
        match self.events.recv_timeout(timeout) {
            Ok(first) => {
                Poll::Events(std::iter::once(first).chain(self.events.try_iter()).collect())
            }
            Err(RecvTimeoutError::Timeout) => Poll::Events(Vec::new()),
            Err(RecvTimeoutError::Disconnected) => Poll::Over,
        }
    }

    /// What tells it something meanwhile.
    pub fn remote(&self) -> Remote {
        self.remote.clone()
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.remote.stop();
    }
}

impl Task {
    fn starts_when_told(&self) -> bool {
        matches!(self, Self::Trial { starts_when_told: true, .. })
    }
}

/// A panic must be heard: without this, the events would just end.
struct SayPanicked(Sender<String>);

impl Drop for SayPanicked {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let message = "the generator ended in a panic; its message is on standard error";
            send(&self.0, &event::error(ErrorKind::Internal, message));
        }
    }
}

fn prepare(plan_json: &str, password: Option<&str>) -> Result<Task, PlanError> {
    match Plan::parse(plan_json)? {
        Plan::Trial(plan) => {
            let options = plan.options()?;
            let target_options = TargetOptions {
                protocol: plan.protocol,
                kernel_timestamps: plan.kernel_timestamps,
                session: plan.session(),
                seed: options.seed,
            };
            let generator_index = plan.generator_index();
            let starts_when_told = plan.starts_when_told();
            let target = Target::new(&plan.url, password, target_options)?;
            let workload = plan.workload.build(target.dialect()).map_err(PlanError::Workload)?;
            Ok(Task::Trial { target, options, workload, generator_index, starts_when_told })
        }
        Plan::Dataset(plan) => {
            let options = plan.options()?;
            let target_options = TargetOptions::for_purpose(Purpose::Preparation);
            let target = Target::new(&plan.url, password, target_options)?;
            let (action, seed) = (plan.action, plan.seed);
            let (dialect, sends_text) = (target.dialect(), plan.sends_text(target.dialect()));
            let workload = plan.workload.build(dialect).map_err(PlanError::Workload)?;
            let dataset = workload.dataset(seed);
            let mut statements = Vec::new();
            if matches!(action, DatasetAction::Prepare) {
                with_workload!(workload, workload => {
                    statements.extend_from_slice(&workload.statements(dialect));
                });
                // Checks are queries without parameters: what is refused of their text, is refused of them.
                let checks = dataset.verifications(dialect).into_iter();
                statements.extend(checks.map(|check| Statement { sql: check.sql }));
            }
            let asked = Asked { action, statements, sends_text };
            Ok(Task::Dataset { target, dataset, options, asked })
        }
    }
}

fn send(sender: &Sender<String>, event: &Value) {
    // Nobody listens any more: then nobody wants to know.
    let _ = sender.send(event.to_string());
}

fn carry_out(task: Task, commands: &Commands, sender: &Sender<String>) {
    match task {
        Task::Trial { target, workload, options, generator_index, .. } => {
            with_workload!(workload, workload => {
                let events =
                    RunEvents::new(workload.transactions(), target.dialect(), generator_index);
                carry_out_trial(target, workload, options, commands, events, sender);
            });
        }
        Task::Dataset { target, dataset, options, asked } => {
            let result = with_driver!(target, driver => {
                carry_out_dataset(&driver, &*dataset, options, &asked, commands, sender)
            });
            if let Err(error) = result {
                let kind = match &error {
                    LoadError::System(_) => ErrorKind::Internal,
                    LoadError::Server { error, .. }
                        if error.class() == ErrorClass::InvalidStatement =>
                    {
                        ErrorKind::Statement
                    }
                    _ => ErrorKind::Server,
                };
                send(sender, &event::error(kind, &error.to_string()));
            }
        }
    }
}

fn carry_out_trial<W: Workload>(
    target: Target,
    workload: W,
    options: Options,
    commands: &Commands,
    mut events: RunEvents,
    sender: &Sender<String>,
) {
    let mut emit = |event| send(sender, &events.write(&event));
    let result =
        with_driver!(target, driver => engine::run(driver, workload, options, commands, &mut emit));
    if let Err(error) = result {
        let kind = match error {
            RunError::Refused { .. } => ErrorKind::Server,
            RunError::Unsupported(_) | RunError::TransactionLog { .. } => ErrorKind::Input,
            RunError::System(_) | RunError::Panic(_) | RunError::Stuck(_) => ErrorKind::Internal,
        };
        send(sender, &event::error(kind, &error.to_string()));
    }
}

fn carry_out_dataset<D: contract::Driver>(
    driver: &D,
    dataset: &dyn Dataset,
    options: LoadOptions,
    asked: &Asked,
    commands: &Commands,
    sender: &Sender<String>,
) -> Result<(), LoadError> {
    let fingerprint = dataset.fingerprint();
    match asked.action {
        DatasetAction::Load => {
            loader::load(driver, dataset, options, &commands.stop, &mut |event| {
                send(sender, &event::load(&event));
            })?;
        }
        DatasetAction::Verify => {
            let check = loader::verify(driver, dataset, options)?;
            send(sender, &event::verified(check));
        }
        DatasetAction::VerifySample => {
            let check = loader::verify_sample(driver, dataset, options)?;
            send(sender, &event::verified(check));
        }
        DatasetAction::Drop => {
            loader::drop_tables(driver, dataset, options)?;
            send(sender, &json!({"event": "dropped"}));
        }
        DatasetAction::Prepare => {
            loader::prepare(driver, &asked.statements, asked.sends_text, options)?;
        }
    }
    send(sender, &json!({"event": "dataset", "fingerprint": fingerprint}));
    Ok(())
}
