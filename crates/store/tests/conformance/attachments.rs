//! Pictures and sounds of threads.

use codewhale_protocol::runtime::{AttachmentId, AttachmentRecord, MediaType, ThreadId, Timestamp};

use crate::world;

fn record(thread: &str, at: i64) -> AttachmentRecord {
    AttachmentRecord {
        id: AttachmentId::from("att_1"),
        thread_id: ThreadId::from(thread),
        media_type: MediaType::Png,
        bytes: 3,
        created_at: Timestamp::from_ms(at),
    }
}

#[tokio::test]
async fn an_attachment_belongs_to_the_threads_that_have_it_and_is_kept_once() {
    for engine in world::engines() {
        let world = engine.world();
        let mut batch = world.batch();
        batch.attach(record("thr_1", 5), "AAAA".to_owned());
        world.commit(batch).await;
        let mut batch = world.batch();
        // The same again changes nothing.
        batch.attach(record("thr_1", 9), "AAAA".to_owned());
        batch.copy_attachments(&ThreadId::from("thr_1"), &ThreadId::from("thr_2"));
        world.commit(batch).await;

        let read = |thread: &str| {
            let (thread, id) = (ThreadId::from(thread), AttachmentId::from("att_1"));
            let found = world
                .store
                .read(|reader| reader.attachment_content(&thread, &id));
            found.unwrap()
        };
        for thread in ["thr_1", "thr_2"] {
            let found = read(thread).unwrap();
            assert_eq!(found.attachment, record(thread, 5), "{}", engine.name);
            assert_eq!(found.data, "AAAA");
            let thread = ThreadId::from(thread);
            let bytes = world.store.read(|reader| reader.attached_bytes(&thread));
            assert_eq!(bytes.unwrap(), 3);
        }
        assert_eq!(read("thr_3"), None);
    }
}
